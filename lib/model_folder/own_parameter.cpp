#include "model_folder/own_parameter.h"

#include <algorithm>

#include "base/error.h"
#include "base/table.h"
#include "model_folder/attention.h"
#include "model_folder/stack.h"

namespace bigdna::model_folder {
namespace {

constexpr std::string_view kOwn = "bigdna.";

}  // namespace

std::string own_prefix(std::string_view row) { return concat(kOwn, row, "."); }

const OwnParameter* own_parameter(std::string_view name) {
  const size_t begin = name.find(concat(".", kOwn));
  if (begin == name.npos) return nullptr;
  const std::string_view rest = name.substr(begin + 1 + kOwn.size());
  const size_t dot = std::min(rest.find('.'), rest.size());
  const std::string_view row = rest.substr(0, dot), parameter = rest.substr(std::min(dot + 1, rest.size()));
  if (const auto* found = find_row(attentions(), row)) return find_row(found->parameters, parameter);
  const auto* found = find_row(stacks(), row);
  return found ? find_row(found->parameters, parameter) : nullptr;
}

}  // namespace bigdna::model_folder
