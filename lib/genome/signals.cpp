#include "genome/signals.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <set>
#include <string_view>

#include "base/error.h"
#include "genome/assemblies.h"

namespace bigdna::genome {

NamedFile named_file(const std::string& text) {
  NamedFile file{"", text};
  const size_t at = text.find('=');
  if (at != text.npos && text.find('/') > at) {
    file = {text.substr(0, at), text.substr(at + 1)};
    if (file.path.empty()) throw UsageError(concat("--track ", text, ": names no file"));
  } else {
    file.name = std::filesystem::path(text).filename();
    for (const std::string_view suffix : {".bw", ".bigWig", ".bigwig"})
      if (file.name.ends_with(suffix)) file.name.resize(file.name.size() - suffix.size());
  }
  const auto is_blank = [](unsigned char c) { return std::isspace(c) || std::iscntrl(c); };
  if (file.name.empty() || std::ranges::any_of(file.name, is_blank))
    throw UsageError(concat("--track ", text, ": '", file.name, "' cannot name a column; give NAME=FILE"));
  return file;
}

std::string path_of_named(const std::string& text) { return named_file(text).path; }

std::vector<std::string> files_of_named(const std::string& text) try {
  return {path_of_named(text)};
} catch (const UsageError&) {
  return {};
}

Signals::Open::Open(const std::string& path, const Genome& genome) : values(path), means(values) {
  const auto& contigs = values.contigs();
  for (uint32_t i = 0; i < contigs.size(); ++i) {
    const auto name = genome.resolve(contigs[i].name);
    if (!name) continue;
    if (const int64_t length = genome.length(*name); length != contigs[i].length)
      fail(path, ": is of another assembly: it has ", contig_and_length(contigs[i].name, contigs[i].length), ", and ",
           genome.path(), " has ", contig_and_length(*name, length));
    numbers.emplace(*name, i);
  }
  if (numbers.empty())
    fail(path, ": none of its contigs (", contigs.empty() ? "it lists none" : contigs.front().name + " ...", ") is in ",
         genome.path());
}

Signals::Signals(const std::vector<std::string>& files, const Genome& genome) {
  std::set<std::string> names;
  for (const auto& text : files) {
    files_.push_back(named_file(text));
    if (!names.insert(files_.back().name).second)
      throw UsageError(concat("--track: two files are named ", files_.back().name, "; give NAME=FILE"));
  }
  for (const auto& file : files_) open_.push_back(std::make_unique<Open>(file.path, genome));
}

std::vector<std::string> Signals::names() const {
  std::vector<std::string> names;
  for (const auto& file : files_) names.push_back(file.name);
  return names;
}

std::span<const float> Signals::at(const std::string& contig, int64_t start, int64_t end) {
  means_.assign(files_.size(), std::numeric_limits<float>::quiet_NaN());
  if (start < 0) return means_;
  for (size_t i = 0; i < open_.size(); ++i)
    if (const auto number = open_[i]->numbers.find(contig); number != open_[i]->numbers.end())
      means_[i] = static_cast<float>(open_[i]->means.of(number->second, start, end));
  return means_;
}

}  // namespace bigdna::genome
