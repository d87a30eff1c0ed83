/// What both programs do around a command: parse, run, report, leave. The only catch of the toolkit.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <type_traits>

#include "apps/options/commands.h"
#include "base/error.h"

namespace bigdna::apps {

/// Adds command `name` ("vocab", or "dataset promoter" under its parent) to the program.
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary, const std::string& group);

/// Parses and runs. `define` adds the commands; the exit code is main's.
int main_with(int argc, char** argv, const std::function<void(CLI::App&)>& define);

/// Applies CommonOptions (log level, prefix) before the command runs.
void begin(const CommonOptions& common, const std::string& name);

/// "0.1.0".
std::string version();
/// "bigdna 0.1.0 (commit ...)" and the versions of what is linked.
std::string version_text();

/// Replaces this process by bigdna-model beside it, with the same arguments. Error where it is missing.
[[noreturn]] void exec_model_program(char** argv);

/// Defines every command; `handle(options)` is what the command's callback calls.
template <class Handle>
void define_commands(CLI::App& program, Handle handle) {
  auto define_one = [&]<class Options>(std::type_identity<Options>) {
    auto options = std::make_shared<Options>();
    CLI::App* command = add_command(program, Options::name, Options::summary, Options::group);
    options->define(*command);
    command->final_callback([options, handle] {
      begin(options->common, Options::name);
      handle(*options);
    });
  };
  [&]<class... Options>(std::type_identity<std::tuple<Options...>>) {
    (define_one(std::type_identity<Options>{}), ...);
  }(std::type_identity<Commands>{});
}

}  // namespace bigdna::apps
