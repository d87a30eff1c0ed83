/// Man pages and shell completions, made from the commands' declarations, like --help.
#pragma once

#include <string>

#include "apps/main.h"

namespace bigdna::apps {

/// bigdna.1, which lists the commands.
std::string man_page(const CommandLine& program);
/// bigdna-COMMAND.1 of program.commands()[i].
std::string man_page(const CommandLine& program, size_t i);

std::string bash_completion(const CommandLine& program);
std::string zsh_completion(const CommandLine& program);

/// The first words of commands with two words, each once, in order, that are no commands: dataset.
std::vector<std::string> parent_commands(const CommandLine& program);
/// Commands with two words whose first word is a command, too: evaluate mlm.
std::vector<std::string> second_commands(const CommandLine& program);

}  // namespace bigdna::apps
