#include "corpus/files.h"

#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/log.h"
#include "io/folder.h"
#include "io/json.h"
#include "io/safetensors.h"

namespace bigdna::corpus {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {
template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <class T>
io::ArrayToWrite row(const char* name, const std::vector<T>& values) {
  return io::array<T>(name, values, {static_cast<int64_t>(values.size())});
}

ordered_json metadata_json(const io::SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? ordered_json()
                                        : io::parse_json(found->second, concat(file.path(), ": its ", key));
}
}  // namespace

void Counts::add(const Counts& other) {
  documents += other.documents;
  sentences += other.sentences;
  tokens += other.tokens;
  bases += other.bases;
  n += other.n;
  unknown += other.unknown;
}

ordered_json Counts::to_json() const {
  return {{"documents", documents}, {"sentences", sentences}, {"tokens", tokens}, {"bases", bases}, {"n", n},
          {"unknown", unknown}};
}

Counts Counts::from_json(const ordered_json& json) {
  return {json.at("documents").get<int64_t>(), json.at("sentences").get<int64_t>(), json.at("tokens").get<int64_t>(),
          json.at("bases").get<int64_t>(),     json.at("n").get<int64_t>(),         json.at("unknown").get<int64_t>()};
}

void require_same_settings(const std::string& folder, const ordered_json& begun, const ordered_json& now) {
  for (const auto& [key, value] : now.items())
    if (!begun.is_object() || begun.value(key, ordered_json()) != value)
      fail(folder, ": was begun with a different ", key, " (",
           begun.is_object() ? begun.value(key, ordered_json()).dump() : "none", ", now ", value.dump(),
           "); --force starts over");
}

PartWriter::PartWriter(std::string folder, std::string part, ordered_json settings, int64_t file_size)
    : folder_(std::move(folder)), part_(std::move(part)), settings_(std::move(settings)), file_size_(file_size) {
  std::error_code error;
  if (fs::create_directories(folder_ + "/" + part_, error); error) fail(folder_, "/", part_, ": ", error.message());
}

std::string PartWriter::next_name() const {
  char number[32];
  std::snprintf(number, sizeof number, "/%05zu.safetensors", files_.size());
  return part_ + number;
}

void PartWriter::resume() {
  io::remove_partial_files(folder_ + "/" + part_);
  while (true) {
    const std::string name = next_name(), path = folder_ + "/" + name;
    if (!fs::exists(path)) return;
    Counts counts;
    ordered_json begun;
    try {
      const io::SafetensorsFile file(path);
      counts = Counts::from_json(metadata_json(file, "counts"));
      begun = metadata_json(file, "settings");
    } catch (const std::exception&) {
      log::warn(path, ": is not a complete corpus file; it is written again");
      return;
    }
    if (begun != settings_) {
      require_same_settings(folder_, begun, settings_);
      fail(path, ": was begun with different settings; --force starts over");
    }
    counts_.add(counts);
    files_.push_back(name);
  }
}

void PartWriter::add(const TokenizedDocument& document) {
  constexpr int64_t kMostReserved = 256 << 20;  // bytes; the genome may have far fewer tokens than a large file takes
  if (tokens_.empty())                          // so that they do not grow by doubling
    tokens_.reserve(static_cast<size_t>(std::min(file_size_, kMostReserved)) / sizeof(uint16_t) +
                    document.tokens.size());
  append(tokens_, document.tokens);
  append(sentence_starts_, document.sentence_starts);
  append(sentence_bases_, document.sentence_bases);
  document_tokens_.push_back(tokens_.size());
  document_sentences_.push_back(sentence_starts_.size());
  contig_.push_back(document.contig);
  pass_.push_back(document.pass);
  start_.push_back(document.start);
  end_.push_back(document.end);
  strand_.push_back(static_cast<uint8_t>(document.strand));
  file_counts_.add({1, static_cast<int64_t>(document.sentence_starts.size()),
                    static_cast<int64_t>(document.tokens.size()), document.end - document.start, document.n,
                    document.unknown});
  if (static_cast<int64_t>(tokens_.size() * sizeof(uint16_t)) >= file_size_) write();
}

void PartWriter::finish() {
  if (file_counts_.documents > 0) write();
}

void PartWriter::write() {
  namespace a = arrays;
  const std::string name = next_name();
  io::write_safetensors(
      folder_ + "/" + name,
      {row(a::kTokens, tokens_), row(a::kSentenceStarts, sentence_starts_), row(a::kSentenceBases, sentence_bases_),
       row(a::kDocumentTokens, document_tokens_), row(a::kDocumentSentences, document_sentences_),
       row(a::kDocumentContig, contig_), row(a::kDocumentStart, start_), row(a::kDocumentEnd, end_),
       row(a::kDocumentStrand, strand_), row(a::kDocumentPass, pass_)},
      {{"settings", settings_.dump()}, {"counts", file_counts_.to_json().dump()}});
  files_.push_back(name);
  counts_.add(file_counts_);
  file_counts_ = {};
  tokens_.clear();
  for (auto* values : {&sentence_starts_, &sentence_bases_, &contig_, &pass_}) values->clear();
  for (auto* values : {&document_tokens_, &document_sentences_}) *values = {0};
  start_.clear();
  end_.clear();
  strand_.clear();
}

}  // namespace bigdna::corpus
