/// Man pages and shell completions, written from what the commands declare: the sources of --help.
#pragma once

#include <string>

#include "apps/main.h"

namespace bigdna::apps {

/// bigdna.1: the commands.
std::string man_page(const CommandLine& program);
/// bigdna-COMMAND.1 of program.commands()[i].
std::string man_page(const CommandLine& program, size_t i);

std::string bash_completion(const CommandLine& program);
std::string zsh_completion(const CommandLine& program);

/// The commands that have a second word, each once, in order: dataset, finetune, evaluate.
std::vector<std::string> parent_commands(const CommandLine& program);

}  // namespace bigdna::apps
