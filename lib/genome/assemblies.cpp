#include "genome/assemblies.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "base/error.h"
#include "base/number.h"

namespace bigdna::genome {
namespace {

struct Assembly {
  std::string_view name;
  int64_t before;                   // how many versions its accessions are before kVersions
  std::array<int64_t, 24> lengths;  // of chromosomes 1 to 22, X and Y (UCSC's chrom.sizes)
};

constexpr Assembly kAssemblies[] = {
    {"GRCh37 (hg19)", 1, {249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022,
                          141213431, 135534747, 135006516, 133851895, 115169878, 107349540, 102531392, 90354753,
                          81195210,  78077248,  59128983,  63025520,  48129895,  51304566,  155270560, 59373566}},
    {"GRCh38 (hg38)", 0, {248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636,
                          138394717, 133797422, 135086622, 133275309, 114364328, 107043718, 101991189, 90338345,
                          83257441,  80373285,  58617616,  64444167,  46709983,  50818468,  156040895, 57227415}},
    {"NCBI36 (hg18)", 2, {247249719, 242951149, 199501827, 191273063, 180857866, 170899992, 158821424, 146274826,
                          140273252, 135374737, 134452384, 132349534, 114142980, 106368585, 100338915, 88827254,
                          78774742,  76117153,  63811651,  62435964,  46944323,  49691432,  154913754, 57772954}},
};

/// The versions of NC_000001 to NC_000024 in GRCh38 (NCBI's assembly report of GCF_000001405.26).
constexpr std::array<int64_t, 24> kVersions{11, 12, 12, 12, 10, 12, 14, 11, 12, 11, 10, 12,
                                            11, 9,  10, 10, 11, 10, 10, 11, 9,  11, 11, 10};

struct Accession {
  int64_t number = 0, version = 0;  // of NC_000020.11: 20 and 11; 0: it has none
};
std::optional<Accession> accession_of(std::string_view name) {
  if (!name.starts_with("NC_") || name.size() < 9) return std::nullopt;
  const auto number = parse_number<int64_t>(name.substr(3, 6));
  if (!number) return std::nullopt;
  if (name.size() == 9) return Accession{*number, 0};
  const auto version = name[9] == '.' ? parse_number<int64_t>(name.substr(10)) : std::nullopt;
  return version ? std::optional(Accession{*number, *version}) : std::nullopt;
}

/// Of chromosome "1" ... "Y"; the array's size for other names.
size_t index_of(std::string_view chromosome) {
  constexpr std::array<std::string_view, 24> kNames{"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                                    "9",  "10", "11", "12", "13", "14", "15", "16",
                                                    "17", "18", "19", "20", "21", "22", "X",  "Y"};
  return static_cast<size_t>(std::ranges::find(kNames, chromosome) - kNames.begin());
}

}  // namespace

namespace {
/// The assembly whose chromosome has this name and length; null if there is none.
const Assembly* assembly_of(std::string_view chromosome, int64_t length) {
  if (chromosome.starts_with("chr")) chromosome.remove_prefix(3);
  const size_t index = index_of(chromosome);
  const auto* found = std::ranges::find_if(kAssemblies, [&](const Assembly& assembly) {
    return index < assembly.lengths.size() && assembly.lengths[index] == length;
  });
  return found == std::end(kAssemblies) ? nullptr : found;
}
}  // namespace

std::string contig_and_length(const std::string& contig, int64_t length) {
  const auto* assembly = assembly_of(contig, length);
  return concat(contig, " (", length, " bp",
                assembly ? concat(", its length in ", assembly->name, ": are the positions of another assembly?") : "",
                ")");
}

bool is_human_chromosome(const std::string& contig, int64_t length) { return assembly_of(contig, length); }

std::string chromosome_of_accession(const std::string& name) {
  const auto accession = accession_of(name);
  if (!accession) return name;
  const auto chromosome = [](int64_t index, int64_t autosomes) {
    return index <= autosomes ? concat("chr", index) : index == autosomes + 1 ? "chrX" : "chrY";
  };
  const int64_t number = accession->number;
  if (number >= 1 && number <= 24) return chromosome(number, 22);        // human
  if (number >= 67 && number <= 87) return chromosome(number - 66, 19);  // mouse
  return number == 12920 || number == 5089 ? "chrM" : name;
}

std::optional<std::string> other_assembly(const std::string& name, int64_t length, const std::string& whose) {
  const auto accession = accession_of(name);
  if (!accession || accession->number < 1 || accession->number > 24 || accession->version == 0) return std::nullopt;
  const auto index = static_cast<size_t>(accession->number - 1);
  const Assembly *named = nullptr, *measured = nullptr;
  for (const auto& assembly : kAssemblies) {
    if (accession->version == kVersions[index] - assembly.before) named = &assembly;
    if (length == assembly.lengths[index]) measured = &assembly;
  }
  if (!named || !measured || named == measured) return std::nullopt;
  return concat(name, " is a chromosome of ", named->name, ", but ", whose, " is of ", measured->name, " (", length,
                " bp)");
}

}  // namespace bigdna::genome
