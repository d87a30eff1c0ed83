#include "apps/options/doctor.h"

#include "apps/options/option.h"

namespace bigdna::apps {

void DoctorOptions::visit(OptionList& visit) {
  visit_device(visit, run);
  common.visit(visit);
}

std::string DoctorOptions::details() {
  return R"(Writes to stdout. A line under "Problems" begins with "error" where something cannot work, with "note" where
it works, but worse than it could; its remedy follows. Exit code 1 if there is an error. --device cuda asks
whether a GPU can be used.)";
}

}  // namespace bigdna::apps
