#include "apps/options/doctor.h"

#include "apps/options/option.h"

namespace bigdna::apps {

void DoctorOptions::visit(OptionList& visit) {
  visit_device(visit, run);
  common.visit(visit);
}

std::string DoctorOptions::details() {
  return R"(Writes to stdout. A line under "Problems" begins with "error" if something cannot work, and with "note"
if it works worse than it could; the remedy follows. Exit code 1 if there is an error. --device cuda checks
whether a GPU can be used.)";
}

}  // namespace bigdna::apps
