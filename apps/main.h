/// What both programs do around a command: they parse, run, report errors and exit.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/options/commands.h"
#include "apps/options/option.h"
#include "base/error.h"
#include "base/log.h"
#include "io/job.h"
#include "io/packed_folder.h"
#include "io/provenance.h"

namespace bigdna::apps {

/// The command line of a program and the commands that are defined on it.
class CommandLine {
 public:
  CommandLine();
  /// Adds a command with its options: "vocab"; "dataset promoter" under its parent; or "evaluate mlm", whose first word
  /// is a command of its own that was added before.
  CLI::App* add(const CommandText& command, std::shared_ptr<OptionList> options);
  /// Parses the command line and runs the command. UsageError if the words do not name one.
  void parse(std::vector<const char*> words);
  /// "bigdna", or "bigdna vocab" once that was parsed.
  std::string command() const;
  /// CLI11's message with the help's names of arguments or, if there is an unknown option, one that names the nearest.
  std::string text_of(const CLI::ParseError& error) const;
  CLI::App& app() { return app_; }
  const std::vector<CommandText>& commands() const { return commands_; }
  /// Of commands()[i].
  const OptionList& options(size_t i) const { return *options_[i]; }

 private:
  bool is_command(const std::string& name) const;
  void check_command(const std::vector<const char*>& words) const;

  CLI::App app_;
  std::vector<CommandText> commands_;
  std::vector<std::shared_ptr<OptionList>> options_;
};

/// Parses and runs. `define` adds the commands; the exit code is main's.
int main_with(int argc, char** argv, const std::function<void(CommandLine&)>& define);

/// Applies CommonOptions (log level, form, prefix), and BIGDNA_HEARTBEAT, before the command runs.
void begin(const CommonOptions& common, const std::string& name);

/// Lowers -@, with a warning, if that many threads cannot be started: LibTorch would end the process, or hang.
void limit_threads(CommonOptions& common);

/// Runs a command in the program that it belongs to.
template <class Options>
void run_here(Options& options, const OptionList& list) {
  limit_threads(options.common);
  list.log_inputs();
  const log::Progress whole("the whole run");
  if constexpr (requires { options.folder.output; }) {
    io::PackedFolder packed(options.folder.output, options.folder.existing(), list.inputs());
    options.folder.output = io::folder_of_output(options.folder.output);
    run(options);
    packed.commit();
  } else {
    run(options);
  }
}

/// "0.1.0".
std::string version();
/// "0.1.0+0123456789ab"; the bare version if the source was no git checkout.
std::string version_with_commit();
/// "bigdna 0.1.0 (commit 0123456789ab)" and the versions of what is linked.
std::string version_text();

/// The path of bigdna-model, which is beside this program.
std::filesystem::path sibling_program();
/// Replaces this process by bigdna-model with the same arguments. Error if it is missing.
[[noreturn]] void exec_model_program(char** argv);

/// Defines every command; a command's callback calls `handle(options, list)`. A struct of options may have, besides
/// `visit`: `details()`, the end of its help; `finish(list)`, which checks and completes what was parsed.
template <class Handle>
void define_commands(CommandLine& program, Handle handle) {
  auto define_one = [&]<class Options>(std::type_identity<Options>) {
    auto options = std::make_shared<Options>();
    auto list = std::make_shared<OptionList>();
    options->visit(*list);
    CommandText text{Options::name, Options::group, Options::summary, Options::example, ""};
    if constexpr (requires { Options::details(); }) text.details = Options::details();
    if constexpr (requires { Options::advice; }) text.advice = Options::advice;
    program.add(text, list)->final_callback([options, list, handle] {
      if constexpr (requires { options->finish(*list); }) options->finish(*list);
      if constexpr (requires { options->folder.resume; })
        if (options->folder.resume && !options->folder.output.empty() && !list->replaces_others())
          list->take_recorded(io::job_file_of_output(options->folder.output));
      std::string folder;
      if constexpr (requires { options->folder.output; }) folder = io::folder_of_output(options->folder.output);
      io::set_deciding_command(list->deciding_command(Options::name));
      begin(options->common, Options::name);
      io::set_job(list->job(), folder);
      handle(*options, *list);
    });
  };
  [&]<class... Options>(std::type_identity<std::tuple<Options...>>) {
    (define_one(std::type_identity<Options>{}), ...);
  }(std::type_identity<Commands>{});
}

}  // namespace bigdna::apps
