/// bigdna doctor: what this machine and this installation offer, what bigdna will use of it, and what is wrong.
#pragma once

#include "apps/options/common.h"

namespace bigdna::apps {

struct DoctorOptions {
  static constexpr auto program = Program::data;
  static constexpr const char* name = "doctor";
  static constexpr const char* group = "Files";
  static constexpr const char* summary = "Check this machine and installation, and suggest a remedy for each problem";
  static constexpr const char* example = "bigdna doctor > report.txt";
  CommonOptions common;
  session::RunOptions run;
  void visit(OptionList& visit);
  static std::string details();
};

/// bigdna's part of the report. It starts bigdna-model with the same options for the other part.
void run(const DoctorOptions& options);
/// bigdna-model's part, i.e. what needs LibTorch, as JSON on stdout.
void report_to_doctor(const DoctorOptions& options);

}  // namespace bigdna::apps
