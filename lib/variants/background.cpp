#include "variants/background.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"
#include "base/streams.h"
#include "genome/alphabet.h"
#include "io/json.h"
#include "io/lines.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "io/safetensors.h"

namespace bigdna::variants {

namespace {
constexpr size_t kStrata = 4;      // of GC
constexpr int64_t kApart = 200;    // bp
constexpr int64_t kGcFlank = 100;  // bp to either side

/// A value of the file's metadata; "" without it.
std::string metadata_of(const io::SafetensorsFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

/// Of all that is read from the file.
template <class... Array>
std::string checksum(const std::string& names, const Array&... arrays) {
  io::Md5 md5;
  md5.update(names);
  (md5.update({reinterpret_cast<const char*>(arrays.data()), arrays.size() * sizeof(arrays[0])}), ...);
  return md5.hex();
}
}  // namespace

BackgroundDraw::BackgroundDraw(std::vector<genome::Region> places, uint64_t seed)
    : places_(std::move(places)), seed_(seed) {
  int64_t total = 0;
  for (const auto& place : places_) ends_.push_back(total += place.length());
  if (total == 0) fail("--null: there is no sequence to draw background variants from");
}

Allele BackgroundDraw::draw(int64_t i, GenomeWindow& window, const std::function<bool(const Allele&)>& usable) const {
  Rng rng(mix({seed_, kRandomVariants}), static_cast<uint64_t>(i));
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const auto at = static_cast<int64_t>(rng.below(static_cast<uint64_t>(ends_.back())));
    const size_t place = static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
    const auto& region = places_[place];
    Allele allele;
    allele.contig = region.contig;
    allele.position = region.end - (ends_[place] - at);
    allele.ref_matches = true;
    if (allele.position < 0 || allele.position >= window.genome().length(region.contig)) continue;
    allele.ref = window.genome().fetch({region.contig, allele.position, allele.position + 1, '+'});
    const int base = genome::base_code(allele.ref[0]);
    if (base < 0) continue;
    allele.alt = genome::kBases[(static_cast<size_t>(base) + 1 + rng.below(3)) % 4];
    if (usable(allele)) return allele;
  }
  fail(window.genome().path(), ": --null finds no place for a background variant: too much of it is N");
}

double gc_around(GenomeWindow& window, const std::string& contig, int64_t position) {
  int64_t gc = 0, known = 0;
  for (const char base : window.fetch(contig, position - kGcFlank, position + kGcFlank + 1)) {
    gc += base == 'G' || base == 'C';
    known += base != 'N';
  }
  return known ? static_cast<double>(gc) / static_cast<double>(known) : 0.5;
}

Background::Background(std::vector<Site> sites, std::vector<float> values, size_t columns)
    : sites_(std::move(sites)), values_(std::move(values)), columns_(columns) {
  stratum_.resize(sites_.size());
  sorted_.resize(kStrata * columns);
  std::vector<size_t> order(sites_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sites_[a].gc < sites_[b].gc; });
  for (size_t stratum = 1; stratum < kStrata; ++stratum)
    if (!order.empty()) borders_.push_back(sites_[order[stratum * order.size() / kStrata]].gc);
  for (size_t i = 0; i < sites_.size(); ++i) {
    stratum_[i] =
        static_cast<size_t>(std::upper_bound(borders_.begin(), borders_.end(), sites_[i].gc) - borders_.begin());
    for (size_t column = 0; column < columns_; ++column)
      if (const float value = values_[i * columns_ + column]; !std::isnan(value))
        sorted_[stratum_[i] * columns_ + column].push_back(std::abs(value));
    by_position_[sites_[i].contig].push_back(i);
  }
  for (auto& values_of_column : sorted_) std::sort(values_of_column.begin(), values_of_column.end());
  for (auto& [contig, of_contig] : by_position_)
    std::sort(of_contig.begin(), of_contig.end(),
              [&](size_t a, size_t b) { return sites_[a].position < sites_[b].position; });
}

float Background::percentile(size_t column, float effect, const Site& at) const {
  if (std::isnan(effect)) return std::numeric_limits<float>::quiet_NaN();
  const float size = std::abs(effect);
  const auto stratum =
      static_cast<size_t>(std::upper_bound(borders_.begin(), borders_.end(), at.gc) - borders_.begin());
  const auto& sorted = sorted_[stratum * columns_ + column];
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), size);
  const auto last = std::upper_bound(first, sorted.end(), size);
  auto below = static_cast<double>(first - sorted.begin()), equal = static_cast<double>(last - first);
  auto all = static_cast<double>(sorted.size());
  auto found = by_position_.find(at.contig);
  if (found == by_position_.end()) found = by_position_.find(genome::other_spelling(at.contig));
  if (found != by_position_.end()) {
    const auto& near = found->second;
    auto i = std::lower_bound(near.begin(), near.end(), at.position - kApart + 1,
                              [&](size_t site, int64_t position) { return sites_[site].position < position; });
    for (; i != near.end() && sites_[*i].position < at.position + kApart; ++i) {
      const float value = std::abs(values_[*i * columns_ + column]);
      if (stratum_[*i] != stratum || std::isnan(value)) continue;
      below -= value < size;
      equal -= value == size;
      --all;
    }
  }
  return static_cast<float>(100 * (below + (equal + 1) / 2) / (all + 1));
}

std::string Background::file_name(const nlohmann::ordered_json& identity) {
  return io::md5_of_bytes(identity.dump()) + ".safetensors";
}

void Background::save(const std::string& path, const nlohmann::ordered_json& identity) const {
  std::vector<int64_t> positions;
  std::vector<double> gc;
  std::vector<uint32_t> contigs;
  std::map<std::string, uint32_t> numbers;
  std::string names;
  for (const Site& site : sites_) {
    const auto [number, added] = numbers.emplace(site.contig, static_cast<uint32_t>(numbers.size()));
    if (added) names += (names.empty() ? "" : "\n") + site.contig;
    positions.push_back(site.position);
    gc.push_back(site.gc);
    contigs.push_back(number->second);
  }
  const auto rows = static_cast<int64_t>(sites_.size());
  io::write_safetensors(
      path,
      {io::array<float>("effects", values_, {rows, static_cast<int64_t>(columns_)}),
       io::array<int64_t>("position", positions, {rows}), io::array<double>("gc", gc, {rows}),
       io::array<uint32_t>("contig", contigs, {rows})},
      {{"identity", identity.dump()}, {"contigs", names}, {"md5", checksum(names, values_, positions, gc, contigs)}});
}

std::optional<Background> Background::load(const std::string& path, const nlohmann::ordered_json& identity) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const io::SafetensorsFile file(path);
  if (metadata_of(file, "identity") != identity.dump()) return std::nullopt;
  if (!file.metadata().contains("md5")) return std::nullopt;  // by an earlier version
  return read(file);
}

void Background::check(const std::string& path) { read(io::SafetensorsFile(path)); }

Background Background::read(const io::SafetensorsFile& file) {
  const std::string& path = file.path();
  const auto& effects = file.at("effects");
  const auto values = effects.as<float>(path);
  const auto positions = file.at("position").as<int64_t>(path);
  const auto gc = file.at("gc").as<double>(path);
  const auto contigs = file.at("contig").as<uint32_t>(path);
  const std::string listed = metadata_of(file, "contigs");
  if (metadata_of(file, "md5") != checksum(listed, values, positions, gc, contigs))
    fail(path, ": its checksum is another: it is damaged; remove it to make it again");
  const auto names = io::split(listed, '\n');
  const size_t rows = positions.size();
  if (rows == 0 || effects.shape.size() != 2 || static_cast<size_t>(effects.shape[0]) != rows || gc.size() != rows ||
      contigs.size() != rows)
    fail(path, ": is damaged; remove it to make it again");
  std::vector<Site> sites;
  for (size_t i = 0; i < rows; ++i) {
    if (contigs[i] >= names.size()) fail(path, ": is damaged; remove it to make it again");
    sites.push_back({std::string(names[contigs[i]]), positions[i], gc[i]});
  }
  return Background(std::move(sites), {values.begin(), values.end()}, static_cast<size_t>(effects.shape[1]));
}

Background Background::of_model(const std::string& path, const nlohmann::ordered_json& settings,
                                const std::vector<std::string>& columns) {
  if (!io::exists(path)) fail(path, ": is missing: the model comes without a background (--null N makes one)");
  const io::SafetensorsFile file(path);
  const std::string recorded = metadata_of(file, "identity");
  const auto identity = io::parse_json(recorded.empty() ? "{}" : recorded, path);
  const auto text_of = [](const nlohmann::ordered_json& value) { return value == -1 ? "unset" : value.dump(); };
  for (const auto& [key, value] : settings.items())
    if (const auto other = identity.value(key, nlohmann::ordered_json()); other != value)
      fail(path, ": its variants were scored with ", key, " ", text_of(other), ", not ", text_of(value),
           " (--null N makes another background)");
  const Background whole = read(file);
  const auto names = identity.value("columns", std::vector<std::string>());
  if (names.size() != whole.columns_) fail(path, ": is damaged; remove it to make it again");
  std::vector<float> values;
  for (size_t i = 0; i < whole.sites_.size(); ++i)
    for (const auto& column : columns) {
      const auto place = std::ranges::find(names, column);
      if (place == names.end()) fail(path, ": has no effects ", column, " (--null N makes another background)");
      values.push_back(whole.values_[i * whole.columns_ + static_cast<size_t>(place - names.begin())]);
    }
  return Background(whole.sites_, std::move(values), columns.size());
}

}  // namespace bigdna::variants
