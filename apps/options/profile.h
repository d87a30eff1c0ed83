/// bigdna profile: counts and base-resolution profiles by an imported BPNet or ChromBPNet.
#pragma once

#include "apps/options/common.h"
#include "profile/profile_options.h"

namespace bigdna::apps {

struct ProfileOptions {
  static constexpr auto program = Program::model;
  static constexpr const char* name = "profile";
  static constexpr const char* group = "Predictions";
  static constexpr const char* summary = "Predict counts and base-resolution profiles with a BPNet or ChromBPNet";
  static constexpr const char* example = "bigdna profile chrombpnet_model -R peaks.narrowPeak -g hg38.fa -o counts.tsv";
  CommonOptions common;
  profile::ProfileOptions profile;
  void visit(OptionList& visit);
  void finish(OptionList& list);
  static std::string details();
};

void run(const ProfileOptions& options);

}  // namespace bigdna::apps
