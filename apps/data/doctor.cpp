#include "apps/options/doctor.h"

#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "apps/data/page.h"
#include "apps/libtorch.h"
#include "apps/main.h"
#include "base/cgroup.h"
#include "base/log.h"
#include "base/threads.h"
#include "genome/fasta_index.h"
#include "base/counted.h"
#include "io/json.h"
#include "io/manifest.h"
#include "model_folder/named_models.h"
#include "kernels/attention.h"
#include "kernels/cuda_plugin.h"

namespace bigdna::apps {

namespace fs = std::filesystem;

namespace {

struct Problem {
  bool error = false;  // or a note
  std::string what, remedy;
};

class Examination {
 public:
  explicit Examination(const DoctorOptions& options) : options_(options) {
    page_.title(version_text().substr(0, version_text().find('\n')));
  }
  void processor();
  void memory();
  void gpu();
  void model_program();
  void folders();
  void named_models();
  /// Throws Error if something cannot work.
  void conclude();

 private:
  template <class... T>
  void error(const std::string& remedy, const T&... what) {
    problems_.push_back({true, concat(what...), remedy});
  }
  template <class... T>
  void note(const std::string& remedy, const T&... what) {
    problems_.push_back({false, concat(what...), remedy});
  }

  const DoctorOptions& options_;
  Page page_;
  std::vector<Problem> problems_;
};

/// The text after "key" and a colon in the first such line of a file; "" if there is none.
std::string value_in(const char* path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (const auto colon = line.find(':');
        line.starts_with(key) && colon != line.npos && line.find_first_not_of(" \t", key.size()) == colon)
      return line.substr(std::min(line.size(), line.find_first_not_of(" \t", colon + 1)));
  return "";
}

/// A file in memory that a child process writes to.
class MemoryFile {
 public:
  MemoryFile() : file_(memfd_create("bigdna doctor", 0)) {
    if (file_ < 0) fail("cannot create a file in memory: ", errno_text(errno));
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  int number() const { return file_; }
  std::string text() const {
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = pread(file_, buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
      text.append(buffer, static_cast<size_t>(n));
    return text;
  }

 private:
  int file_;
};

struct Outcome {
  int status = 0;  // waitpid's
  std::string out, error;
};

/// Runs a program and collects its output.
Outcome outcome_of(const std::string& program, std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const MemoryFile out, error;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.number(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) fail(errno_text(failed));
  Outcome outcome;
  while (waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
  }
  outcome.out = out.text();
  outcome.error = error.text();
  return outcome;
}

/// Why a program failed: its signal, or the last line that it wrote to stderr.
std::string reason_of(const Outcome& outcome) {
  if (WIFSIGNALED(outcome.status))
    return concat("ended by signal ", WTERMSIG(outcome.status), " (", strsignal(WTERMSIG(outcome.status)), ")");
  std::string text = outcome.error;
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

void Examination::processor() {
  page_.title("Processor");
  page_.row("model", value_in("/proc/cpuinfo", "model name"));
  std::istringstream flags(value_in("/proc/cpuinfo", "flags"));
  std::set<std::string> has;
  for (std::string flag; flags >> flag;) has.insert(flag);
  std::string units;
  for (const auto& [flag, name] : {std::pair{"avx2", "AVX2"},
                                   {"fma", "FMA"},
                                   {"avx512f", "AVX-512"},
                                   {"avx512_bf16", "AVX512-BF16"},
                                   {"amx_bf16", "AMX"}})
    if (has.contains(flag)) units += (units.empty() ? "" : ", ") + std::string(name);
  page_.row("vector units", units.empty() ? "none that bigdna uses" : units);
  if (!has.contains("avx2") || !has.contains("fma"))
    note("use a processor of 2013 or later for training and genome-wide prediction",
         "this processor has no AVX2 and FMA: models run several times slower");
  page_.row("CPU kernels", kernels::cpu_target(), "; products in bf16: ", kernels::cpu_bf16_products());

  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string bounds;
  cpu_set_t affinity;
  if (sched_getaffinity(0, sizeof affinity, &affinity) == 0 && CPU_COUNT(&affinity) < all)
    bounds += concat("; bound to ", CPU_COUNT(&affinity));
  if (const auto quota = cgroup_processors(); quota && *quota < all)
    bounds += concat("; the control group allows ", *quota);
  if (const char* slurm = std::getenv("SLURM_CPUS_PER_TASK")) bounds += concat("; Slurm allows ", slurm);
  const int startable = startable_threads(options_.common.threads);
  page_.row("processors", all, bounds);
  if (startable < options_.common.threads)
    note(concat("raise the limit on processes (ulimit -u, or the container's --pids-limit), or give -@ ",
                std::max(1, startable / 4)),
         "only ", startable, " of ", options_.common.threads, " threads can be started");
}

void Examination::memory() {
  page_.title("Memory");
  const auto kilobytes = [](const char* key) {
    return std::strtoull(value_in("/proc/meminfo", key).c_str(), nullptr, 10) * 1024;
  };
  uint64_t available = kilobytes("MemAvailable");
  page_.row("machine", bytes_text(available), " free of ", bytes_text(kilobytes("MemTotal")));
  if (const auto bound = cgroup_memory()) {
    page_.row("control group", bytes_text(bound->left()), " free of ", bytes_text(bound->limit));
    available = std::min(available, bound->left());
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    page_.row("ulimit -v", bytes_text(limit.rlim_cur));
    available = std::min<uint64_t>(available, limit.rlim_cur);
  }
  constexpr uint64_t kLittle = 2'000'000'000;
  if (available < kLittle)
    note("give the job more memory, or train with fewer tokens at a time (--micro-batch)", "only ",
         bytes_text(available), " of memory can be used: small models will run, large ones may not");
}

void Examination::gpu() {
  page_.title("GPU");
  const kernels::CudaDriver driver = kernels::cuda_driver();
  page_.row("NVIDIA driver", driver.version.empty() ? "none" : driver.version);
  for (size_t i = 0; i < driver.devices.size(); ++i) page_.row(concat("GPU ", i), driver.devices[i]);
  if (driver.devices.empty()) page_.row("GPUs", "none (", driver.reason, ")");
  const std::string plugin = kernels::cuda_plugin_path();
  const bool there = fs::exists(plugin);
  page_.row("plug-in",
            there ? plugin : concat("none (", plugin, ")", driver.devices.empty() ? "; not needed without a GPU" : ""));
  if (driver.devices.empty() && (fs::exists("/dev/nvidiactl") || fs::exists("/dev/dxg")))
    note("in a container, start it with --gpus all (docker, podman) or --nv (apptainer); else reinstall the driver",
         "there is an NVIDIA device, but ", driver.reason);
  if (!driver.devices.empty() && !there)
    note("install a package of bigdna that has the plug-in, or build with nvcc and -DBIGDNA_CUDA=ON (docs/gpu.md)",
         "there is a GPU, but the CUDA plug-in is missing: models run on the CPU");
}

void Examination::model_program() {
  page_.title("Models");
  const std::string program = sibling_program().string();
  page_.row("program", program);
  if (const auto fault = choose_libtorch()) return error(fault->remedy, fault->what);
  const std::string again =
      "install bigdna again: all of bin and lib belong together (after a build from source: cmake/setup.sh, "
      "cmake/build.sh programs)";
  std::vector<std::string> arguments{"bigdna-model", "doctor",
                                     "--device",     options_.run.device,
                                     "--precision",  options_.run.precision,
                                     "--backend",    options_.run.backend,
                                     "-@",           std::to_string(options_.common.threads)};
  try {
    const auto started = std::chrono::steady_clock::now();
    const Outcome outcome = outcome_of(program, arguments);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    if (outcome.status != 0) return error(again, program, " does not run: ", reason_of(outcome));
    const auto report = io::parse_json(outcome.out, program);
    page_.row("LibTorch", report["libtorch"].get<std::string>(), ", ", report["libtorch_file"].get<std::string>());
    page_.row("started in", std::round(100 * seconds) / 100, " s");
    constexpr double kTolerance = 1e-3;  // of sums of 64 products of normal numbers in single precision
    if (const double wrong = report["product_error"]; !(wrong < kTolerance))
      error(again, "LibTorch computes wrong products (off by ", wrong, ")");
    page_.title("Choice");
    page_.row("device", report["device"].get<std::string>());
    page_.row("precision", report["precision"].get<std::string>());
    page_.row("attention", options_.run.backend == "auto"
                               ? "auto (fused, or gather for models that fused does not serve)"
                               : options_.run.backend);
    page_.row("threads", options_.common.threads);
    if (report.contains("device_error"))
      error("take --device auto or cpu, or see docs/gpu.md", report["device_error"].get<std::string>());
    else if (!outcome.error.empty() && !kernels::cuda_driver().devices.empty() && report["device"] == "cpu" &&
             options_.run.device == "auto")
      note("see docs/gpu.md", reason_of(outcome));
  } catch (const nlohmann::json::exception& bad) {
    error(again, program, " is from another build: ", bad.what());
  } catch (const Error& bad) {
    error(again, program, ": ", bad.what());
  }
}

void Examination::folders() {
  page_.title("Folders");
  const auto row = [&](const char* label, const fs::path& folder) {
    std::error_code failed;
    const auto space = fs::space(folder, failed);
    const bool writable = access(folder.c_str(), W_OK) == 0;
    page_.row(label, folder.string(), failed ? "" : concat(", ", bytes_text(space.available), " free"),
              writable ? "" : "; it cannot be written");
    return writable;
  };
  std::error_code unknown;
  row("working", fs::current_path(unknown));
  const char* named = std::getenv("TMPDIR");
  const fs::path temporary = named && *named ? named : "/tmp";
  bool cached = false;
  for (const auto& cache : genome::index_caches()) {  // up to the one that is used
    fs::path existing = cache.path;
    while (access(existing.c_str(), F_OK) != 0 && errno == ENOENT && existing.has_relative_path())
      existing = existing.parent_path();
    const int refused = cache.refused();
    cached = (refused == 0 || refused == ENOENT) && access(existing.c_str(), W_OK) == 0;
    page_.row("indexes", cache.path, existing == cache.path ? "" : ", does not exist yet",
              cached ? "" : "; it cannot be written");
    if (cached) break;
  }
  if (!cached)
    note("set BIGDNA_CACHE to a folder that can be written, or run samtools faidx on such genomes once",
         "genomes in read-only folders cannot be indexed, and so not be read");
  if (!row("temporary", temporary))
    note("set TMPDIR to a folder on a local disk", temporary.string(),
         " cannot be written: commands that need temporary files fail");
}

/// Those that have names, each file compared with its checksum.
void Examination::named_models() {
  page_.title("Named models");
  const auto models = model_folder::named_models();
  if (models.empty())
    page_.row("none", "in the folders of BIGDNA_MODELS, nor in share/bigdna/models next to the program");
  for (const auto& [name, path] : models) try {
      const auto files = io::verify_folder(path, /*checksums=*/true);
      page_.row(name, path, ", ", counted(files, "file"), ", checksums as recorded");
    } catch (const Error& damaged) {
      page_.row(name, path, ", damaged");
      error("install it again, or take it out of the folders of BIGDNA_MODELS", damaged.what());
    }
}

void Examination::conclude() {
  page_.title("Problems");
  if (problems_.empty()) page_.row("none");
  int errors = 0;
  for (const auto& problem : problems_) {
    page_.row(problem.error ? "error" : "note", problem.what);
    page_.row("", problem.remedy);
    errors += problem.error;
  }
  page_.print();
  if (errors) fail(errors, errors > 1 ? " errors" : " error", ": see \"Problems\"");
}

}  // namespace

void run(const DoctorOptions& options) {
  Examination examination(options);
  examination.processor();
  examination.memory();
  examination.gpu();
  examination.model_program();
  examination.folders();
  examination.named_models();
  examination.conclude();
}

}  // namespace bigdna::apps
