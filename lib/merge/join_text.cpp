#include <htslib/bgzf.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/json.h"
#include "io/output.h"
#include "merge/joiners.h"

namespace bigdna::merge {

namespace {
struct CloseBgzf {
  void operator()(BGZF* file) const { bgzf_close(file); }
};

/// Adds the numbers of `part` to those of `sum`. What is no number is the first part's: it says where that comes from,
/// and parts may have read the same inputs under other names.
void add(nlohmann::ordered_json& sum, const nlohmann::ordered_json& part, const std::string& path) {
  for (const auto& [key, value] : part.items()) {
    const auto found = sum.find(key);
    if (found == sum.end())
      sum[key] = value;
    else if (found->type() != value.type() && !(found->is_number_integer() && value.is_number_integer()))
      fail(path, ": ", key, " is of another type than in the parts before it");
    else if (value.is_object())
      add(*found, value, path);
    else if (value.is_number_integer())
      *found = found->get<int64_t>() + value.get<int64_t>();
  }
}
}  // namespace

void join_text(const Paths& parts, const std::string& output, int threads) {
  io::Output out(output, threads);
  std::string buffer(1 << 16, '\0');
  for (const auto& part : parts) {
    const std::unique_ptr<BGZF, CloseBgzf> file(bgzf_open(part.c_str(), "r"));  // plain text, too
    if (!file) fail(part, ": ", errno_text(errno));
    for (ssize_t size = 0; (size = bgzf_read(file.get(), buffer.data(), buffer.size())) != 0;) {
      if (size < 0) fail(part, ": is damaged");
      out.write(buffer.data(), static_cast<size_t>(size));
    }
  }
  out.commit();
}

void join_counts(const Paths& parts, const std::string& output, int) {
  auto sum = nlohmann::ordered_json::object();
  for (const auto& part : parts) {
    const auto counts = io::read_json(part);
    if (!counts.is_object()) fail(part, ": is not a JSON object");
    add(sum, counts, part);
  }
  io::Output out(output);
  out << sum.dump(2) + "\n";
  out.commit();
}

}  // namespace bigdna::merge
