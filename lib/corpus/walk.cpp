#include "corpus/walk.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "corpus/survey.h"

namespace bigdna::corpus {

ContigReader::ContigReader(GenomeFiles files, const Survey* survey)
    : files_(std::move(files)),
      chosen_(survey ? genome::ContigFilter(files_.contigs, survey->contigs) : genome::ContigFilter(files_.contigs)),
      survey_(survey) {}

std::optional<genome::FastaRecord> ContigReader::next() {
  if (!survey_) return decode();
  const size_t row = contigs_.size();
  if (row == survey_->contigs.size()) return std::nullopt;
  const auto& expected = survey_->contigs[row];
  if (!survey_->kept.empty()) {
    contigs_.push_back(expected);
    return genome::FastaRecord{expected.name, survey_->kept[row].unpack()};
  }
  auto record = decode();
  if (!record) fail(files_.fastas.back(), ": changed while it was being read (sequence ", expected.name, " is gone)");
  if (record->name != expected.name || static_cast<int64_t>(record->bases.size()) != expected.length)
    fail(files_.fastas[file_], ": changed while it was being read (sequence ", record->name, ")");
  return record;
}

std::optional<genome::FastaRecord> ContigReader::decode() {
  for (; file_ < files_.fastas.size(); ++file_, reader_.reset()) {
    if (!reader_) {
      log::verbose("reading ", files_.fastas[file_]);
      reader_.emplace(files_.fastas[file_], files_.invalid_bases, std::min(files_.threads, 2));
    }
    while (auto record = reader_->next()) {
      if (chosen_(record->name)) {
        contigs_.push_back({record->name, static_cast<int64_t>(record->bases.size())});
        return record;
      }
      left_out_.push_back(std::move(record->name));
    }
  }
  return std::nullopt;
}

Walk::Walk(ContigReader contigs, const SamplerOptions& sampler, const genome::IntervalSet* training,
           const genome::IntervalSet* held_out)
    : contigs_(std::move(contigs)), sampler_(sampler), training_(training), held_out_(held_out) {
  check(sampler_);
}

std::optional<WalkedDocument> Walk::next() {
  while (pending_.empty())
    if (!plan_pass()) return std::nullopt;
  WalkedDocument document = std::move(pending_.front());
  pending_.pop_front();
  return document;
}

/// Samples the next pass; false at the end.
bool Walk::plan_pass() {
  if (!contig_ || pass_ == sampler_.passes + (held_out_ ? 1 : 0)) {
    const auto row = static_cast<uint32_t>(contigs_.contigs().size());
    contig_.reset();  // freed before the next one is read
    auto record = contigs_.next();
    if (!record) return false;
    contig_ = std::make_shared<const WalkedDocument::Contig>(WalkedDocument::Contig{row, std::move(*record)});
    pass_ = 0;
    planned_ = 0;
  }
  const bool training = pass_ < sampler_.passes;
  SamplerOptions sampler = sampler_;
  if (!training) sampler.start_max = 0;
  const int pass = training ? pass_ : 0;
  ++pass_;
  const auto& [name, bases] = contig_->record;
  std::vector<genome::IntervalSet::Interval> intervals{{0, static_cast<int64_t>(bases.size())}};
  if (const genome::IntervalSet* allowed = training ? training_ : held_out_) {
    // Under the genome's own names: of two genomes in one corpus, one may have a chr1 and the other a 1.
    const auto found = allowed->contigs().find(name);
    intervals.clear();
    if (found != allowed->contigs().end()) intervals = found->second;
  }
  for (auto& plan : sample_documents(sampler, name, pass, bases, intervals))
    pending_.push_back({contig_, planned_++, training, pass, std::move(plan)});
  return true;
}

}  // namespace bigdna::corpus
