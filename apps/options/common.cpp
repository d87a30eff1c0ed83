#include "apps/options/common.h"

#include <map>

#include "apps/options/checks.h"
#include "base/error.h"

namespace bigdna::apps {

void CommonOptions::define(CLI::App& app) {
  app.add_option("-@,--threads", threads, "Threads, in total")->check(between(1, 1024))->capture_default_str()->group("General");
  app.add_flag("--quiet", quiet, "Only errors on stderr")->group("General");
  app.add_flag("-v,--verbose", verbose, "More on stderr")->group("General");
}

void CommonOptions::define_seed(CLI::App& app) {
  app.add_option("--seed", seed, "Seed of everything random")->check(whole_number())->capture_default_str()->group("General");
}

void DeviceOptions::define(CLI::App& app) {
  app.add_option("--device", device, "auto, cpu, cuda or cuda:N (auto: a GPU where there is one; says what it took)")
      ->capture_default_str()->group("Device");
  app.add_option("--precision", precision, "auto, fp32 or bf16 (auto: bf16 on GPUs and processors with AMX or AVX512-BF16, else fp32)")
      ->check(CLI::IsMember({"auto", "fp32", "bf16"}))->capture_default_str()->group("Device");
  app.add_option("--backend", backend, "Attention backend: auto, fused, gather or dense")
      ->check(CLI::IsMember({"auto", "fused", "gather", "dense"}))->capture_default_str()->group("Device");
}

void OutputFolderOptions::define(CLI::App& app, const std::string& what) {
  app.add_option("-o,--output", output, what)->required()->type_name("DIR");
  app.add_flag("--resume", resume, "Continue what an earlier run with the same options left in -o");
  app.add_flag("--force", force, "Replace what an earlier run left in -o");
}

io::Existing OutputFolderOptions::existing() const {
  if (resume && force) throw UsageError("--resume and --force exclude each other");
  return resume ? io::Existing::resume : force ? io::Existing::replace : io::Existing::refuse;
}

void add_invalid_bases(CLI::App& app, genome::InvalidBases& value) {
  static const std::map<std::string, genome::InvalidBases> choices{{"error", genome::InvalidBases::error}, {"n", genome::InvalidBases::n}};
  app.add_option_function<std::string>("--invalid-bases", [&value](const std::string& text) { value = choices.at(text); },
                                       "Letters that are no nucleotide code: error, or n to read them as N")
      ->check(CLI::IsMember({"error", "n"}))->default_str("error");
}

}  // namespace bigdna::apps
