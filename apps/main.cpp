#include "apps/main.h"

#include <unistd.h>

#include <csignal>
#include <exception>
#include <filesystem>

#include "apps/options/checks.h"
#include "base/log.h"
#include "base/signals.h"
#include "io/manifest.h"

namespace bigdna::apps {

CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& summary, const std::string& group) {
  const auto space = name.find(' ');
  CLI::App* parent = &program;
  if (space != std::string::npos) {
    const std::string parent_name = name.substr(0, space);
    const auto existing = program.get_subcommands([&](const CLI::App* app) { return app->get_name() == parent_name; });
    if (existing.empty()) {
      parent = program.add_subcommand(parent_name, "see bigdna " + parent_name + " --help")->group(group);
      parent->require_subcommand(1);
    } else {
      parent = existing.front();
    }
  }
  return parent->add_subcommand(name.substr(space == std::string::npos ? 0 : space + 1), summary)->group(group);
}

void begin(const CommonOptions& common, const std::string& name) {
  log::configure(common.quiet ? log::Level::quiet : common.verbose ? log::Level::verbose : log::Level::normal, "bigdna " + name);
}

void exec_model_program(char** argv) {
  const auto sibling = std::filesystem::read_symlink("/proc/self/exe").replace_filename("bigdna-model");
  execv(sibling.c_str(), argv);
  fail(sibling.string(), ": ", errno_text(errno), " (this program runs the model commands)");
}

namespace {
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_expected_max() > 0) option->check(not_empty());
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) refuse_empty_values(*command);
}
}  // namespace

int main_with(int argc, char** argv, const std::function<void(CLI::App&)>& define) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen by io::Output, which leaves nothing half-written
  io::set_program(version(), argc, argv);
  CLI::App program("BigBird for genomes: vocabularies, corpora, pretraining, promoter and chromatin prediction.", "bigdna");
  program.set_version_flag("--version", version_text);
  program.set_help_all_flag("--help-all", "Help of every command");
  program.require_subcommand(1);
  program.get_formatter()->column_width(44);
  log::configure(log::Level::normal, "bigdna");
  try {
    define(program);
    refuse_empty_values(program);
    program.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return program.exit(e);
    log::error(concat(e.what(), " (see --help)"));
    return 2;
  } catch (const UsageError& e) {
    log::error(e.what());
    return 2;
  } catch (const Stopped& e) {
    log::error(e.what());
    return 128 + e.signal();
  } catch (const io::BrokenPipe&) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return 141;
  } catch (const Error& e) {
    log::error(e.what());
    return 1;
  } catch (const std::bad_alloc&) {
    log::error("out of memory");
    return 1;
  } catch (const std::exception& e) {
    std::string_view text = e.what();  // LibTorch's messages carry a backtrace after the first line
    const bool memory = text.find("out of memory") != text.npos || text.find("can't allocate memory") != text.npos;
    log::error(concat(memory ? "out of memory: " : "internal error: ", text.substr(0, text.find('\n'))));
    return 1;
  }
}

}  // namespace bigdna::apps
