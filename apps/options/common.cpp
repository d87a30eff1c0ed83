#include "apps/options/common.h"

#include "apps/options/checks.h"
#include "apps/options/option.h"
#include "base/error.h"

namespace bigdna::apps {

void CommonOptions::visit(OptionList& visit) {
  visit.group("General");
  visit(threads, "-@,--threads", "Number of threads")
      .check(between(1, 1024))
      .default_is("all available")
      .not_decisive();
  visit(quiet, "--quiet", "Print only errors to stderr").not_decisive();
  visit(verbose, "-v,--verbose", "Also print input sizes, the time of each stage and peak memory to stderr")
      .not_decisive();
  visit
      .choice<log::LineFormat>(log_format, "--log-format",
                               {{"text", log::LineFormat::text}, {"json", log::LineFormat::json}},
                               "Log format on stderr: plain text, or one JSON object per line")
      .not_decisive();
}

void CommonOptions::visit_header(OptionList& visit) {
  using io::TableHeader;
  visit
      .choice<TableHeader>(header, "--header",
                           {{"hash", TableHeader::hash}, {"plain", TableHeader::plain}, {"none", TableHeader::none}},
                           "Lines before the rows of a text table: hash: ## lines, then the names of columns after #; "
                           "plain: only the names, for pandas and R; none: no such lines")
      .shapes_output();
}

void CommonOptions::visit_with_seed(OptionList& visit) {
  this->visit(visit);
  visit(seed, "--seed", "Seed of all random choices");
}

void visit_device_name(OptionList& visit, session::RunOptions& run) {
  visit(run.device, "--device", "auto, cpu, cuda or cuda:N; auto uses a GPU if there is one, and reports which")
      .type("DEVICE")
      .not_decisive();
}

void visit_device(OptionList& visit, session::RunOptions& run) {
  visit.group("Device");
  visit_device_name(visit, run);
  visit(run.precision, "--precision",
        "auto: bf16 on GPUs and on processors that are faster with it (AMX, AMD's AVX512-BF16), fp32 elsewhere")
      .one_of({"auto", "fp32", "bf16"})
      .resolved_later();
  visit(run.backend, "--backend", "Implementation of attention")
      .one_of({"auto", "fused", "gather", "dense"})
      .not_decisive();
}

Option& OutputFolderOptions::visit(OptionList& visit, const std::string& what) {
  Option& option = visit(output, "-o,--output", concat(what, "; with the suffix .tar it becomes one file"))
                       .type("DIR|TAR")
                       .not_decisive()
                       .check(no_stdout());
  visit.resume(resume, "Continue an unfinished run in -o that has the same options; do nothing if it is complete");
  visit(force, "--force", "Replace the files of an earlier run in -o").not_decisive();
  return option;
}

io::Existing OutputFolderOptions::existing() const {
  if (resume && force) throw UsageError("--resume cannot be used with --force");
  return resume ? io::Existing::resume : force ? io::Existing::replace : io::Existing::refuse;
}

Option& visit_invalid_bases(OptionList& visit, genome::InvalidBases& value) {
  using genome::InvalidBases;
  return visit.choice<InvalidBases>(
      value, "--invalid-bases", {{"error", InvalidBases::error}, {"n", InvalidBases::n}},
      "Letters that are not IUPAC nucleotide codes: stop with an error, or read them as N");
}

}  // namespace bigdna::apps
