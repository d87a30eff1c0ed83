// fuzz_readers SEEDS [--inputs N] [--seed S] [--first I] [--only READER] [--jobs J] [--keep FOLDER]
// Gives each of bigdna's readers damaged files. Input I is a pure function of (seed, I). An Error is what is expected
// of them; anything else is a failure: another exception, a signal, more than 30 seconds, more than 2 GB. Failing
// inputs are kept in FOLDER (default: fuzz-failures) and named. tests/fuzz/run.sh makes the seeds.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "io/output.h"
#include "mutation.h"
#include "readers.h"

namespace {
namespace fs = std::filesystem;
using namespace bigdna;

constexpr int kSeconds = 30;  // a trial reading of a damaged HDF5 file may take 5 s of a processor
constexpr uint64_t kBytes = uint64_t{2} << 30;
constexpr int64_t kBatch = 64;  // inputs of a process

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitised = true;  // needs terabytes of address space, and several times the memory
#else
constexpr bool kSanitised = false;
#endif

struct Options {
  std::string seeds, only, keep = "fuzz-failures";
  int64_t inputs = 2000, first = 0, jobs = 1;
  uint64_t seed = 1;
};

struct Shared {  // by parent and child
  std::atomic<int64_t> at;
};

void copy_seeds(const fuzz::Reader& reader, const Options& options, const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& file : reader.files) {
    if (const auto parent = (folder / file).parent_path(); !parent.empty()) fs::create_directories(parent);
    fs::copy(fs::path(options.seeds) / file, folder / file, fs::copy_options::recursive);
  }
}

/// Copies the files of input `index` into `folder`, changed; returns the changed text, if that is what is read.
std::string make_input(const fuzz::Reader& reader, const Options& options, int64_t index, const fs::path& folder) {
  copy_seeds(reader, options, folder);
  Rng rng(options.seed, static_cast<uint64_t>(index));
  if (!reader.texts.empty()) return fuzz::mutated(reader.texts[rng.below(reader.texts.size())], rng);
  std::vector<fs::path> candidates;
  for (const auto& file : reader.damaged)
    if (file.ends_with('/')) {
      for (const auto& entry : fs::recursive_directory_iterator(folder / file))
        if (entry.is_regular_file()) candidates.push_back(entry.path());
    } else {
      candidates.push_back(folder / file);
    }
  std::sort(candidates.begin(), candidates.end());
  for (uint64_t left = 1 + (rng.below(4) == 0); left > 0; --left) {
    const auto& path = candidates[rng.below(candidates.size())];
    const auto bytes = fuzz::mutated_file(path, rng);
    fs::remove(path.string() + ".scratch");
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  return "";
}

/// Reads inputs from shared.at to `end`; exits with 0, or with 1 at the first that is not refused properly.
[[noreturn]] void run_batch(const std::vector<fuzz::Reader>& readers, const Options& options, Shared& shared,
                            int64_t end, const fs::path& folder) {
  if (!kSanitised) {
    const rlimit memory{kBytes + kBytes / 4, kBytes + kBytes / 4};
    setrlimit(RLIMIT_DATA, &memory);
  }
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  log::configure(log::Level::quiet, "fuzz");
  setenv("XDG_CACHE_HOME", (folder.string() + ".cache").c_str(), 1);
  for (; shared.at < end; ++shared.at) {
    const auto& reader = readers[static_cast<size_t>(shared.at) % readers.size()];
    std::string cause;
    try {
      const auto text = make_input(reader, options, shared.at, folder);
      const itimerval limit{{0, 0}, {kSeconds, 0}};
      setitimer(ITIMER_REAL, &limit, nullptr);  // SIGALRM ends the process
      reader.texts.empty() ? reader.read(folder) : reader.read_text(folder, text);
    } catch (const Error&) {
    } catch (const std::system_error&) {  // of the file system, which commands report like an Error
    } catch (const std::exception& error) {
      cause = concat(typeid(error).name(), ": ", error.what());
    }
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, nullptr);
    if (cause.empty() && !kSanitised && log::peak_memory() > kBytes) cause = "more than 2 GB of memory";
    if (cause.empty()) continue;
    std::cerr << "  " << cause.substr(0, 300) << std::endl;
    _exit(1);
  }
  _exit(0);
}

/// All inputs from `first` on in steps of kBatch x jobs; the number of failures.
int64_t run_jobs(const std::vector<fuzz::Reader>& readers, const Options& options, int64_t job,
                 const fs::path& scratch) {
  auto* shared =
      static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int64_t failures = 0;
  const int64_t end_of_all = options.first + options.inputs;
  for (int64_t first = options.first + job * kBatch; first < end_of_all; first += kBatch * options.jobs) {
    shared->at = first;
    const int64_t end = std::min(first + kBatch, end_of_all);
    while (shared->at < end) {
      const pid_t child = fork();
      if (child == 0) run_batch(readers, options, *shared, end, scratch / "input");
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
      const int64_t index = shared->at;
      const auto& reader = readers[static_cast<size_t>(index) % readers.size()];
      const fs::path kept = fs::path(options.keep) / concat(reader.name, "-", index);
      const auto text = make_input(reader, options, index, kept);
      if (!reader.texts.empty()) io::write_file(kept / "text", text);
      std::cerr << "FAILED: input " << index << " (" << reader.name << "): "
                << (WIFSIGNALED(status) ? WTERMSIG(status) == SIGALRM ? concat("longer than ", kSeconds, " s")
                                                                      : concat("signal ", WTERMSIG(status))
                                        : concat("exit code ", WEXITSTATUS(status)))
                << "; kept in " << kept.string() << std::endl;
      ++failures;
      ++shared->at;
    }
  }
  return failures;
}

/// Whether each reader reads all of its files while they are whole; else it would hardly meet the damage.
bool seeds_are_read(const std::vector<fuzz::Reader>& readers, const Options& options, const fs::path& scratch) {
  const pid_t child = fork();
  if (child == 0) {
    log::configure(log::Level::quiet, "fuzz");
    setenv("XDG_CACHE_HOME", (scratch / "cache").c_str(), 1);
    fuzz::expect_no_errors();
    int failed = 0;
    for (const auto& reader : readers) try {
        copy_seeds(reader, options, scratch / "seed");
        if (reader.texts.empty())
          reader.read(scratch / "seed");
        else if (reader.name != "region")
          reader.read_text(scratch / "seed", reader.texts.front());
      } catch (const std::exception& error) {
        std::cerr << "FAILED: the undamaged files of " << reader.name << ": " << error.what() << std::endl;
        failed = 1;
      }
    _exit(failed);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const auto value = [&] { return ++i < argc ? std::string(argv[i]) : throw UsageError(name + " needs a value"); };
    if (name == "--inputs")
      options.inputs = std::stoll(value());
    else if (name == "--seed")
      options.seed = std::stoull(value());
    else if (name == "--first")
      options.first = std::stoll(value());
    else if (name == "--jobs")
      options.jobs = std::stoll(value());
    else if (name == "--only")
      options.only = value();
    else if (name == "--keep")
      options.keep = value();
    else
      options.seeds = name;
  }
  if (options.seeds.empty()) throw UsageError("fuzz_readers SEEDS [--inputs N] [--seed S] [--first I] [--only READER]");
  options.seeds = fs::canonical(options.seeds);
  return options;
}
}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = options_of(argc, argv);
    auto readers = fuzz::readers();
    if (!options.only.empty()) std::erase_if(readers, [&](const auto& reader) { return reader.name != options.only; });
    if (readers.empty()) throw UsageError("--only " + options.only + ": no such reader");
    std::string scratch = fs::temp_directory_path() / "fuzz-XXXXXX";
    if (!mkdtemp(scratch.data())) throw Error("no temporary folder");
    const auto started = std::chrono::steady_clock::now();
    bool failed = !seeds_are_read(readers, options, scratch);
    std::vector<pid_t> jobs;
    for (int64_t job = 0; job < options.jobs; ++job)
      if (const pid_t child = fork(); child == 0)
        _exit(run_jobs(readers, options, job, fs::path(scratch) / std::to_string(job)) != 0);
      else
        jobs.push_back(child);
    for (const pid_t child : jobs) {
      int status = 0;
      waitpid(child, &status, 0);
      failed |= status != 0;
    }
    fs::remove_all(scratch);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::map<std::string, int64_t> inputs_of;
    for (int64_t i = options.first; i < options.first + options.inputs; ++i)
      ++inputs_of[readers[static_cast<size_t>(i) % readers.size()].name];
    for (const auto& [name, inputs] : inputs_of) std::cout << inputs << "\t" << name << "\n";
    std::cout << options.inputs << " inputs of " << readers.size() << " readers, seed " << options.seed << ", in "
              << seconds << " s: " << (failed ? "some failed" : "none failed") << std::endl;
    return failed;
  } catch (const std::exception& error) {
    std::cerr << "fuzz_readers: " << error.what() << "\n";
    return 2;
  }
}
