#include "profile/foreign.h"

#include <ATen/ops/zeros.h>

#include "base/error.h"

namespace bigdna::profile {

void HalfReader::take(const std::string& from, const std::string& to, bool required, int64_t size) {
  auto found = arrays_.extract(from);
  if (!found.empty()) {
    names_[to] = from;
    taken_[to] = std::move(found.mapped());
  } else if (required) {
    missing_ += " " + from;
  } else {
    taken_[to] = at::zeros({size});
  }
}

model::Parameters HalfReader::finish(const model_folder::ProfileConfig& config) {
  std::string complaint;
  if (!missing_.empty()) complaint += "; missing:" + missing_;
  for (const char* before = "; unknown: "; const auto& [name, value] : arrays_)
    complaint += before + name, before = " ";
  const auto shapes = parameter_shapes(config);
  for (const auto& [name, value] : taken_) {
    const auto& shape = shapes.at(name);
    if (value.sizes() != at::IntArrayRef(shape))
      complaint += concat("; ", names_.contains(name) ? names_.at(name) : name, " has the shape ", value.sizes(),
                          " instead of ", at::IntArrayRef(shape));
  }
  if (!complaint.empty()) fail(path_, ": these are not the weights of a BPNet or ChromBPNet", complaint);
  return std::move(taken_);
}

}  // namespace bigdna::profile
