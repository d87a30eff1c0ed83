#include "dataset/deepsea.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "base/threads.h"
#include "dataset/chromatin_folder.h"
#include "dataset/deepsea_places.h"
#include "genome/contigs.h"
#include "dataset/mat_file.h"

namespace bigdna::dataset {

namespace {
constexpr int64_t kBox = int64_t{128} << 20;  // bytes of a file in memory at a time

/// Calls visit(first, count, bytes) for blocks of whole chunks that together cover the array, by ascending row and then
/// by the last dimension. Each is complete in the dimension `whole` (-1: in none).
template <class Visit>
void each_box(const MatArray& array, int whole, Visit visit) {
  const auto& shape = array.shape();
  std::vector<int64_t> box = array.chunk();
  if (whole >= 0) box[static_cast<size_t>(whole)] = shape[static_cast<size_t>(whole)];
  const auto grow = [&](size_t dimension) {
    int64_t size = 1;
    for (const int64_t length : box) size *= length;
    const int64_t times = std::max<int64_t>(1, kBox / std::max<int64_t>(1, size));
    box[dimension] = std::min(shape[dimension], box[dimension] * times);
  };
  const size_t last = shape.size() - 1;
  grow(0);
  grow(last);
  std::vector<int64_t> first(shape.size(), 0), count = shape;
  for (first[0] = 0; first[0] < shape[0]; first[0] += box[0])
    for (first[last] = 0; first[last] < shape[last]; first[last] += box[last]) {
      count[0] = std::min(box[0], shape[0] - first[0]);
      count[last] = std::min(box[last], shape[last] - first[last]);
      const auto bytes = array.read(first, count);
      visit(first, count, bytes);
    }
}

constexpr std::pair<Split, const char*> kParts[] = {
    {Split::train, "train"}, {Split::validation, "valid"}, {Split::test, "test"}};

enum class Fate : uint8_t { taken, twin, not_found, ambiguous, duplicate, labels_differ };
constexpr std::array<std::string_view, 6> kFates{"taken",     "twin",      "not_found",
                                                 "ambiguous", "duplicate", "labels_differ"};

/// A file of the bundle; its rows are indices into SequencePlaces.
struct BundleFile {
  Split split;
  MatArray bases, labels;
  std::vector<SequencePlaces::Row> rows;
  std::vector<Fate> fates;
  int64_t first_bin = 0;
  std::array<int64_t, kFates.size()> counts{};
};

class Bundle {
 public:
  explicit Bundle(const ChromatinOptions& options)
      : options_(options),
        genome_(options.genome, options.invalid_bases),
        features_(deepsea_features()),
        bytes_((features_.size() + 7) / 8) {
    contigs_ = genome::chosen_contigs(genome_, options.contigs).contigs;
    const auto count = static_cast<int64_t>(features_.size());
    for (const auto& [split, name] : kParts) {
      const std::string path = options.deepsea + "/" + name + ".mat";
      if (!std::filesystem::exists(path)) {
        log::warn(path, ": no such file, so the dataset has no ", split_name(split), " examples");
        continue;
      }
      BundleFile part{split, {path, std::string(name) + "xdata"}, {path, std::string(name) + "data"}, {}, {}, 0, {}};
      const auto& shape = part.bases.shape();
      if (shape.size() != 3 || shape[1] != 4 || shape[2] != kDeepseaLength)
        fail(path, ": ", name, "xdata does not have the shape rows x 4 x ", kDeepseaLength);
      if (part.labels.shape() != std::vector<int64_t>{shape[0], count})
        fail(path, ": ", name, "data does not have the shape ", shape[0], " rows x ", count, " features");
      parts_.push_back(std::move(part));
    }
    if (parts_.empty()) fail(options.deepsea, ": has no train.mat, valid.mat or test.mat");
  }

  void build() {
    for (auto& part : parts_) read_bases(part);
    places_.find(genome_, contigs_, options_.threads);
    for (auto& part : parts_) choose(part);
    if (bins_.empty())
      fail(options_.deepsea, ": none of the rows is in ", options_.genome,
           " (is it the assembly that they come from?)");
    labels_.resize(bins_.size() * bytes_);
    for (auto& part : parts_) read_labels(part);
    write();
  }

 private:
  void read_bases(BundleFile& part) {
    const auto rows = static_cast<size_t>(part.bases.shape()[0]);
    std::vector<Fingerprint> prints(rows);
    const FingerprintTable table;
    log::Progress progress(part.bases.path(), rows * kDeepseaLength, "bases");
    uint64_t done = 0;
    each_box(part.bases, 1, [&](const auto& first, const auto& count, const std::vector<uint8_t>& bytes) {
      const auto height = static_cast<size_t>(count[0]);
      parallel_for(static_cast<int64_t>((height + kRowBlock - 1) / kRowBlock), options_.threads, [&](int64_t block) {
        const size_t begin = static_cast<size_t>(block) * kRowBlock, end = std::min(height, begin + kRowBlock);
        for (int64_t i = 0; i < count[2]; ++i) {
          const uint8_t* plane = bytes.data() + static_cast<size_t>(i) * 4 * height;
          const auto& position = table.at(first[2] + i);
          for (size_t row = begin; row < end; ++row) {
            const int sum = plane[row] + plane[row + height] + plane[row + 2 * height] + plane[row + 3 * height];
            if (sum > 1)
              fail(part.bases.path(), ": row ", first[0] + static_cast<int64_t>(row) + 1,
                   " does not have exactly one base at position ", first[2] + i + 1);
            if (sum == 0) continue;  // N
            const size_t channel = plane[row] ? 0 : plane[row + height] ? 1 : plane[row + 2 * height] ? 2 : 3;
            position.add(channel, prints[static_cast<size_t>(first[0]) + row]);
          }
        }
      });
      done += height * static_cast<size_t>(count[2]);
      progress.update(done);
    });
    part.rows.reserve(rows);
    for (const auto& print : prints) part.rows.push_back(places_.add(print));
  }

  /// Chooses the rows that become bins: those with one position in the genome, each position once.
  void choose(BundleFile& part) {
    std::vector<int64_t> bin_of(places_.size(), -1);
    std::vector<uint8_t> flipped, has_twin;  // of this part's bins
    part.first_bin = static_cast<int64_t>(bins_.size());
    for (const auto& row : part.rows) {
      const auto& place = places_.at(row);
      auto& bin = bin_of[row.sequence];
      Fate fate = Fate::taken;
      if (place.count != 1) {
        fate = place.count == 0 ? Fate::not_found : Fate::ambiguous;
      } else if (bin >= 0) {
        const auto at = static_cast<size_t>(bin - part.first_bin);
        const bool twin = flipped[at] != row.flipped && !has_twin[at];
        if (twin) has_twin[at] = 1;
        fate = twin ? Fate::twin : Fate::duplicate;
      } else {
        bin = static_cast<int64_t>(bins_.size());
        flipped.push_back(row.flipped);
        has_twin.push_back(0);
        bins_.push_back({place.contig, part.split, place.start + (kDeepseaLength - kBin) / 2});
      }
      part.fates.push_back(fate);
      bin_of_row_.push_back(bin);
    }
  }

  void read_labels(BundleFile& part) {
    each_box(part.labels, -1, [&](const auto& first, const auto& count, const std::vector<uint8_t>& bytes) {
      for (const bool twins : {false, true})  // a twin comes after the row that it is compared with
        for (int64_t f = 0; f < count[1]; ++f)
          for (int64_t i = 0; i < count[0]; ++i) {
            const auto row = static_cast<size_t>(first[0] + i);
            const Fate fate = part.fates[row];
            if (fate != (twins ? Fate::twin : Fate::taken)) continue;
            const auto value = bytes[static_cast<size_t>(f * count[0] + i)];
            if (value > 1) fail(part.labels.path(), ": row ", row + 1, ": label ", int{value}, " is neither 0 nor 1");
            const auto feature = static_cast<size_t>(first[1] + f);
            auto& byte = labels_[static_cast<size_t>(bin_of_row_[rows_before_ + row]) * bytes_ + feature / 8];
            const auto bit = static_cast<uint8_t>(1u << (feature % 8));
            if (!twins && value) byte |= bit;
            if (twins && ((byte & bit) != 0) != (value != 0)) part.fates[row] = Fate::labels_differ;
          }
    });
    rows_before_ += part.rows.size();
  }

  void write() {
    io::Manifest manifest;
    auto& details = manifest.details;
    details["source"] = "deepsea";
    details["keep"] = "tf";  // every bin of the bundle has a label of that group
    io::Output dropped(options_.output + "/dropped.tsv");
    dropped << "#split\trow\treason\tplaces\tchrom\tstart\tend\tstrand\n";
    for (auto& part : parts_) {
      manifest.add_input(part.bases.path());
      const auto split = std::string(split_name(part.split));
      for (size_t row = 0; row < part.rows.size(); ++row) {
        const Fate fate = part.fates[row];
        ++part.counts[static_cast<size_t>(fate)];
        if (fate == Fate::taken || fate == Fate::twin) continue;
        const auto& place = places_.at(part.rows[row]);
        dropped << concat(split, '\t', row + 1, '\t', kFates[static_cast<size_t>(fate)], '\t', place.count);
        if (place.count)
          dropped << concat('\t', contigs_[place.contig].name, '\t', place.start, '\t', place.start + kDeepseaLength,
                            '\t', place.strand, '\n');
        else
          dropped << "\t.\t.\t.\t.\n";
      }
      std::string text = concat(part.bases.path(), ": ", counted(static_cast<int64_t>(part.rows.size()), "row"));
      auto& json = details["deepsea_rows"][split];
      for (size_t i = 0; i < kFates.size(); ++i) {
        json[std::string(kFates[i])] = part.counts[i];
        if (part.counts[i]) text += concat(", ", part.counts[i], " ", kFates[i]);
      }
      log::info(text);
    }
    dropped.commit();
    manifest.add_file(options_.output, "dropped.tsv");
    write_chromatin_folder(options_, contigs_, features_, bins_, labels_, {}, std::move(manifest));
  }

  static constexpr size_t kRowBlock = 4096;  // rows that a thread processes together: their fingerprints fit its cache
  const ChromatinOptions& options_;
  genome::Genome genome_;
  std::vector<Feature> features_;
  size_t bytes_;
  std::vector<genome::Contig> contigs_;
  std::vector<BundleFile> parts_;
  SequencePlaces places_;
  std::vector<LabelledBin> bins_;
  std::vector<int64_t> bin_of_row_;  // of all parts, one after the other
  size_t rows_before_ = 0;
  std::vector<uint8_t> labels_;
};
}  // namespace

std::vector<std::string> deepsea_files_of(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& [split, name] : kParts)
    if (const auto path = concat(folder, "/", name, ".mat"); std::filesystem::is_regular_file(path))
      files.push_back(path);
  return files;
}

void build_from_deepsea(const ChromatinOptions& options) { Bundle(options).build(); }

}  // namespace bigdna::dataset
