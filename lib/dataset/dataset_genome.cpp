#include "dataset/dataset_genome.h"

#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "io/identity.h"

namespace bigdna::dataset {

void record_genome(const std::string& path, genome::InvalidBases invalid, nlohmann::ordered_json& details) {
  details["genome"] = std::filesystem::absolute(path).lexically_normal().string();
  details["genome_content"] = io::content_of_file(path);
  details["invalid_bases"] = invalid == genome::InvalidBases::n ? "n" : "error";
}

genome::InvalidBases recorded_invalid_bases(const nlohmann::ordered_json& details) {
  return details.value("invalid_bases", "error") == "n" ? genome::InvalidBases::n : genome::InvalidBases::error;
}

std::string checked_genome(const std::string& folder, const io::Manifest& manifest, const std::string& path) {
  const std::string chosen = path.empty() ? manifest.details.value("genome", "") : path;
  if (chosen.empty()) fail(folder, ": does not record its genome; -g names it");
  if (!std::filesystem::exists(chosen))
    fail(chosen, ": there is no such file, from which ", folder, " was made; -g names the genome");
  const auto made_from = manifest.details.value("genome_content", nlohmann::ordered_json());
  if (!made_from.is_object()) fail(folder, ": does not record what its genome holds (make the dataset again)");
  const auto now = io::content_of_file(chosen);
  if (now == made_from) return chosen;
  const auto bytes = made_from.value("bytes", uint64_t{0}), bytes_now = now.value("bytes", uint64_t{0});
  fail(chosen, ": is not the file that ", folder, " was made from: ",
       bytes == bytes_now ? std::string("its content differs")
                          : concat("it has ", bytes_now, " bytes, that one had ", bytes),
       ". The labels belong to the bases of that genome (make the dataset again from this one)");
}

}  // namespace bigdna::dataset
