#include "apps/main.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/libtorch.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/number.h"
#include "base/program.h"
#include "base/signals.h"
#include "base/table.h"
#include "base/threads.h"
#include "dataset/task.h"
#include "io/manifest.h"
#include "io/temporary_file.h"

namespace bigdna::apps {

namespace {
/// LibTorch's threads wait for each other in libgomp, which by default spins for milliseconds before it sleeps. Where
/// other processes need the same processors, that keeps the thread that is waited for from running. libgomp reads the
/// variable once, when it is loaded.
void limit_spinning() {
  if (!std::getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", "10000", /*overwrite=*/0);
}

/// The number of letters to insert, remove, change or swap with their neighbour to turn `a` into `b`.
size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

/// " (did you mean NAME?)", or "" if no name is near.
std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  size_t least = 2 + word.size() / 4;
  for (const auto& name : names) {
    const size_t distance = word.size() > 2 && name.starts_with(word) ? 1 : edits(word, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

constexpr const char* kPurpose =
    "Models of DNA: BigBird pretraining, networks on bases, and prediction of chromatin, promoters, variant effects "
    "and your own labels";
}  // namespace

CommandLine::CommandLine() : app_(kPurpose, "bigdna") {
  app_.set_help_flag("-h,--help", "Print this help");
  app_.set_version_flag("--version", version_text);
  app_.add_flag_callback("--version-only", [] { throw CLI::CallForVersion(version(), 0); });
  app_.set_help_all_flag("--help-all", "The help of every command");
  app_.require_subcommand(1);
  app_.formatter_fn([this](const CLI::App*, const std::string&, CLI::AppFormatMode mode) {
    std::string text =
        std::string(kPurpose) +
        ".\n\nExample:\n  bigdna chromatin human-chr20-chrX regions.bed -g hg19.fa\n\n"
        "Usage: bigdna COMMAND [OPTIONS]\n" +
        help_of_commands(commands_, "") +
        "\nOptions:\n  -h,--help                       Print this help; bigdna COMMAND --help describes one command\n"
        "  --help-all                      Print the help of every command\n"
        "  --version                       Print the versions of bigdna and its libraries, and the GPUs that it finds\n"
        "  --version-only                  Print the bare version, for scripts\n";
    if (mode == CLI::AppFormatMode::All)
      for (size_t i = 0; i < commands_.size(); ++i)
        text += concat("\n\n", "bigdna ", commands_[i].name, "\n\n", help_text(commands_[i], *options_[i]));
    return text;
  });
}

namespace {
/// How CLI11 knows a command of two words whose first word is a command, too: a subcommand of a command would need the
/// arguments of both.
std::string one_word(const std::string& name) {
  std::string word = name;
  std::ranges::replace(word, ' ', '-');
  return word;
}
}  // namespace

bool CommandLine::is_command(const std::string& name) const { return find_row(commands_, name) != nullptr; }

CLI::App* CommandLine::add(const CommandText& command, std::shared_ptr<OptionList> options) {
  const auto space = command.name.find(' ');
  CLI::App* parent = &app_;
  const bool joined = space != std::string::npos && is_command(command.name.substr(0, space));
  if (space != std::string::npos && !joined) {
    const std::string parent_name = command.name.substr(0, space);
    const auto existing = app_.get_subcommands([&](const CLI::App* app) { return app->get_name() == parent_name; });
    parent = existing.empty() ? app_.add_subcommand(parent_name) : existing.front();
    parent->require_subcommand(1);
    parent->formatter_fn([this, parent_name](const CLI::App*, const std::string&, CLI::AppFormatMode) {
      return concat("Usage: bigdna ", parent_name, " COMMAND [OPTIONS]\n", help_of_commands(commands_, parent_name));
    });
  }
  const std::string word = joined ? one_word(command.name) : command.name.substr(space + 1);  // npos + 1 is 0
  CLI::App* app = parent->add_subcommand(word, command.summary);
  options->add_to(*app);
  app->formatter_fn([command, options](const CLI::App*, const std::string&, CLI::AppFormatMode) {
    return help_text(command, *options);
  });
  commands_.push_back(command);
  options_.push_back(std::move(options));
  return app;
}

namespace {
/// Commands that took the task as their first word, before the dataset said it: how many arguments they have.
struct FormerTask {
  std::string_view command;
  size_t arguments;
};
constexpr FormerTask kFormerTasks[] = {{"train", 1}, {"finetune", 2}, {"evaluate", 2}};

/// UsageError that says what to type now, for "train chromatin DATASET".
void refuse_task_word(const std::vector<const char*>& words) {
  const auto* former = std::ranges::find(kFormerTasks, std::string_view(words[1]), &FormerTask::command);
  if (former == std::end(kFormerTasks) || words.size() < 3 || !dataset::find_task(words[2])) return;
  std::vector<std::string> arguments;
  for (size_t i = 3; i < words.size() && *words[i] != '-'; ++i) arguments.push_back(words[i]);
  if (arguments.size() < former->arguments) return;
  std::string now = concat("bigdna ", former->command);
  for (const auto& argument : arguments) now += " " + argument;
  throw UsageError(concat("the dataset says that it is one of ", words[2], ": ", now));
}
}  // namespace

void CommandLine::check_command(const std::vector<const char*>& words) const {
  if (words.size() < 2) throw UsageError("name a command (see bigdna --help)");
  const std::string first = words[1];
  if (first.starts_with('-')) return;
  if (is_command(first)) return refuse_task_word(words);
  std::vector<std::string> names, children;
  std::string list;
  for (const auto& command : commands_) {
    names.push_back(command.name);
    if (command.name.find(' ') != std::string::npos) names.push_back(command.name.substr(0, command.name.find(' ')));
    if (!command.name.starts_with(first + " ")) continue;
    children.push_back(command.name.substr(first.size() + 1));
    list += (list.empty() ? "" : ", ") + command.name;
  }
  if (children.empty())
    throw UsageError(concat(first, " is not a command of bigdna", nearest(first, names), "; see bigdna --help"));
  const std::string second = words.size() < 3 ? "" : words[2];
  if (second == "-h" || second == "--help" || second == "--help-all" || is_command(first + " " + second)) return;
  if (second.empty() || second.starts_with('-')) throw UsageError(concat("name a command: ", list));
  throw UsageError(
      concat(first, " ", second, " is not a command of bigdna", nearest(first + " " + second, names), " (", list, ")"));
}

void CommandLine::parse(std::vector<const char*> words) {
  check_command(words);
  std::string joined;
  if (words.size() > 2 && is_command(words[1]) && is_command(concat(words[1], " ", words[2]))) {
    joined = one_word(concat(words[1], " ", words[2]));
    words.erase(words.begin() + 1);
    words[1] = joined.c_str();
  }
  app_.parse(static_cast<int>(words.size()), words.data());
}

std::string CommandLine::command() const {
  std::string name = "bigdna";
  if (const auto chosen = app_.get_subcommands(); !chosen.empty())
    for (const auto& command : commands_)
      if (one_word(command.name) == chosen.front()->get_name()) return concat("bigdna ", command.name);
  for (const CLI::App* app = &app_; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    name += " " + app->get_name();
  }
  return name;
}

std::string CommandLine::text_of(const CLI::ParseError& error) const {
  const CLI::App* app = &app_;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  const std::string help = concat("see ", command(), " --help");
  for (const std::string& word : app->remaining(true)) {
    const std::string flag = word.substr(0, word.find('='));
    if (!flag.starts_with('-')) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : app->get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    return concat(flag, ": unknown option", nearest(flag, names), "; ", help);
  }
  std::string text = error.what();
  const bool excludes = dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr;
  const bool names_another = excludes || dynamic_cast<const CLI::RequiresError*>(&error) != nullptr;
  constexpr std::string_view kExcludes = " excludes ";
  if (const auto at = text.find(kExcludes); excludes && at != std::string::npos)
    text.replace(at, kExcludes.size(), " cannot be used with ");
  constexpr std::string_view kTwice = ": At Most 1 required but received ";
  if (const auto at = text.find(kTwice); at != std::string::npos)
    text = concat(text.substr(0, at), " is given ", text.substr(at + kTwice.size()), " times, but can be given once");
  for (size_t i = 0; i < commands_.size(); ++i) {  // CLI11 names an argument as the code does
    if ("bigdna " + commands_[i].name != command()) continue;
    auto arguments = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    auto next = arguments.begin();
    for (const OptionText& option : option_texts(*options_[i])) {
      if (!option.flags.empty()) continue;
      const std::string name = (*next++)->get_name();
      if (text.starts_with(name + " ") || text.starts_with(name + ":")) text.replace(0, name.size(), option.value);
      if (names_another && text.ends_with(" " + name))
        text.replace(text.size() - name.size(), name.size(), option.value);
    }
  }
  return concat(text, " (", help, ")");
}

void begin(const CommonOptions& common, const std::string& name) {
  log::configure(common.quiet     ? log::Level::quiet
                 : common.verbose ? log::Level::verbose
                                  : log::Level::normal,
                 "bigdna " + name);
  log::set_format(common.log_format);
  io::set_table_header(common.header);
  const char* const text = std::getenv("BIGDNA_HEARTBEAT");
  if (!text) return;
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds > 0 && *seconds < 1e9))
    fail("BIGDNA_HEARTBEAT is '", text, "', not a positive number of seconds");
  log::set_heartbeat(*seconds);
}

void limit_threads(CommonOptions& common) {
  const int startable = startable_threads(common.threads);
  if (startable >= common.threads) return;
  // libraries start as many threads again: LibTorch does for forward and for backward passes
  const int taken = std::max(1, startable / 4);
  log::warn("-@ ", common.threads, ": only ", counted(startable, "thread"), " can be started here; ", taken,
            taken > 1 ? " are used" : " is used");
  common.threads = taken;
}

std::filesystem::path sibling_program() { return program_path().replace_filename("bigdna-model"); }

void exec_model_program(char** argv) {
  constexpr uint64_t kLibTorch = 512'000'000;  // with less, it fails before main() and without a reason
  if (const auto most = address_space_limit(); most && *most < kLibTorch)
    fail(out_of_memory_text(), ": LibTorch alone takes ", log::human(static_cast<double>(kLibTorch)), "B");
  if (const auto fault = choose_libtorch()) fail(fault->what, " (", fault->remedy, ")");
  limit_spinning();
  const auto sibling = sibling_program();
  execv(sibling.c_str(), argv);
  fail(sibling.string(), ": ", errno_text(errno), " (this program runs the model commands)");
}

namespace {
/// One line about an exception that no part of bigdna throws on purpose.
std::string text_of(const std::exception& error) {
  std::string_view text = error.what();  // LibTorch's messages carry a backtrace after the first line
  text = text.substr(0, text.find('\n'));
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return concat(file->path1().string(), ": ", file->code().message());
  if (dynamic_cast<const std::bad_alloc*>(&error)) return out_of_memory_text();
  // LibTorch's, the system's, and those of oneDNN, which cannot map memory for its machine code
  for (const char* sign : {"out of memory", "t allocate memory", "bad_alloc", "could not create a primitive",
                           "could not create a memory object", "Cannot allocate memory"})
    if (text.find(sign) != text.npos) return concat(out_of_memory_text(), ": ", text);
  if (const auto* system = dynamic_cast<const std::system_error*>(&error))
    return system->code() == std::errc::resource_unavailable_try_again
               ? concat("a thread cannot be started: ", system->code().message(), " (-@ lowers their number)")
               : std::string(text);
  return concat("internal error: ", text);
}
}  // namespace

namespace {
/// The words of the command line, with "help COMMAND" as "COMMAND --help" and "version" as "--version".
std::vector<const char*> as_options(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "version") words[1] = "--version";
  if (first == "help") {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  return words;
}
}  // namespace

namespace {
/// Whether errors of the command line itself are to be written as JSON.
bool asks_for_json(const std::vector<const char*>& words) {
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == std::string_view("--log-format=json") ||
        (words[i] == std::string_view("json") && words[i - 1] == std::string_view("--log-format")))
      return true;
  return false;
}
}  // namespace

int main_with(int argc, char** argv, const std::function<void(CommandLine&)>& define) {
  std::signal(SIGPIPE, SIG_IGN);  // io::Output notices a closed pipe, and leaves nothing half-written
  io::set_program(version_with_commit(), argc, argv);
  log::configure(log::Level::normal, "bigdna");
  CommandLine program;
  try {
    start_program(io::remove_temporary_files);
    define(program);
    const std::vector<const char*> words = as_options(argc, argv);
    if (asks_for_json(words)) log::set_format(log::LineFormat::json);
    program.parse(words);
    return 0;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      errno = 0;
      program.app().exit(e);
      if (std::cout.flush()) return 0;
      if (errno == EPIPE) end_by(SIGPIPE);
      log::error(concat("stdout: ", errno ? errno_text(errno) : "cannot be written"));
      return 1;
    }
    log::configure(log::Level::normal, program.command());
    log::error(program.text_of(e));
    return 2;
  } catch (const UsageError& e) {
    log::configure(log::Level::normal, program.command());  // it may come before the command begins
    log::error(e.what());
    return 2;
  } catch (const Stopped& e) {
    log::error(e.what());
    return 128 + e.signal();
  } catch (const io::BrokenPipe&) {
    end_by(SIGPIPE);  // which is ignored until here
  } catch (const Error& e) {
    log::error(e.what());
    return 1;
  } catch (const std::exception& e) {
    log::error(text_of(e));
    return 1;
  }
}

}  // namespace bigdna::apps
