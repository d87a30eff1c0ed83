#include "prediction/attributions.h"

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "dataset/features.h"
#include "io/output.h"
#include "model/profile.h"
#include "model_folder/model_folder.h"
#include "prediction/attribution_sinks.h"
#include "prediction/explain_sites.h"
#include "prediction/predictor.h"
#include "session/stream.h"

namespace bigdna::prediction {
namespace {

constexpr int64_t kBases = 4;

/// Takes from each value the mean over the four bases of its position and feature.
void centre(std::vector<float>& values, int64_t features) {
  for (size_t at = 0; at < values.size(); at += static_cast<size_t>(kBases * features))
    for (int64_t f = 0; f < features; ++f) {
      double mean = 0;
      for (int64_t b = 0; b < kBases; ++b) mean += values[at + static_cast<size_t>(b * features + f)];
      for (int64_t b = 0; b < kBases; ++b)
        values[at + static_cast<size_t>(b * features + f)] -= static_cast<float>(mean / kBases);
    }
}

}  // namespace

float Attributions::contribution(int64_t i, int64_t code, int64_t feature) const {
  return code < kBases ? at(hypothetical, i, code, feature) : std::numeric_limits<float>::quiet_NaN();
}

Attributions attribute(const session::ProfileModel& model, const std::string& window,
                       const session::ProfileModel::Positions& positions, const std::vector<int64_t>& chosen,
                       ExplainOptions::Method method, session::Strands strands) {
  Attributions result{positions.count, std::ssize(chosen)};
  const auto size = static_cast<size_t>(positions.count * kBases);
  result.hypothetical.resize(size * chosen.size());
  if (method == ExplainOptions::Method::gradient) {
    for (size_t f = 0; f < chosen.size(); ++f) {
      const auto gradient = model.gradients(window, positions, chosen[f], strands);
      for (size_t i = 0; i < size; ++i) result.hypothetical[i * chosen.size() + f] = gradient[i];
    }
  } else {
    const auto logits = model.substituted_logits(window, positions, strands);
    const auto labels = static_cast<size_t>(model.config().labels);
    for (size_t i = 0; i < size; ++i)
      for (size_t f = 0; f < chosen.size(); ++f)
        result.hypothetical[i * chosen.size() + f] = logits[i * labels + static_cast<size_t>(chosen[f])];
    // Every position has the logits of the sequence as it is, in the row of its own base.
    const auto codes = model::base_codes(window);
    result.change = result.hypothetical;
    for (int64_t i = 0; i < positions.count; ++i) {
      const int64_t own = codes[static_cast<size_t>(positions.first + i)];
      for (int64_t b = 0; b < kBases; ++b)
        for (int64_t f = 0; f < result.features; ++f) {
          float& value = result.change[static_cast<size_t>((i * kBases + b) * result.features + f)];
          value = own < kBases ? value - result.at(result.hypothetical, i, own, f)
                               : std::numeric_limits<float>::quiet_NaN();
        }
    }
  }
  centre(result.hypothetical, result.features);
  return result;
}

void explain(const ExplainOptions& options) {
  const auto folder = model_folder::ModelFolder::open_any(options.model);
  if (!folder.profile)
    fail(folder.path, ": reads tokens; bigdna explain is for networks of bigdna train (predict-promoter --explain "
         "explains an interval to a promoter model that reads tokens)");
  const auto features = features_of(folder);
  const auto chosen = dataset::choose_features(features, options.features);
  const auto columns = dataset::column_names(features);
  std::vector<std::string> names;
  for (const int64_t f : chosen) names.push_back(columns[static_cast<size_t>(f)]);
  const io::Format format = io::format_of(options.output, kExplainFormats);
  refuse_outputs(options, format, names, folder.path);
  Sites sites(options, folder.profile->bin(), folder.profile->margin());
  const session::Placement placement(options.run);
  const session::ProfileModel model(*folder.profile,
                                    model::load_profile_weights(*folder.profile, folder.weights_path()), placement,
                                    folder.path);
  const auto provenance = io::Provenance().add("model", name_and_md5(folder));
  const auto sinks = attribution_sinks(options, format, names, sites.contigs(), provenance);

  struct Item {
    Site site;
    Attributions values;
  };
  int64_t intervals = 0, bases = 0;
  log::Progress progress("explain", 0, "intervals");
  session::stream(
      placement.streams(),
      [&]() -> std::optional<Item> {
        auto site = sites.next();
        if (!site) return std::nullopt;
        return Item{std::move(*site), {}};
      },
      [&](Item&& item) {
        item.values = attribute(model, item.site.window, {model.margin(), item.site.first, item.site.count}, chosen,
                                options.method, options.strands);
        return std::move(item);
      },
      [&](Item&& item) {
        for (const auto& sink : sinks) sink->write(item.site, item.values);
        bases += item.site.count;
        progress.update(static_cast<uint64_t>(++intervals));
      });
  if (intervals == 0) fail("there is no interval to explain");
  for (const auto& sink : sinks) sink->commit();
  if (sites.cut())
    log::warn(counted(sites.cut(), "interval"), " reached past the ", sites.window(),
              " bp that the network reads around a bin; the bases outside have no rows");
  log::info(counted(intervals, "interval"), ", ", counted(bases, "base"), ", ",
            counted(std::ssize(chosen), "feature"));
}

}  // namespace bigdna::prediction
