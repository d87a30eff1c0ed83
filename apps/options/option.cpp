#include "apps/options/option.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "apps/options/checks.h"
#include "base/counted.h"
#include "base/error.h"
#include "base/log.h"
#include "io/manifest.h"
#include "io/paths.h"
#include "model_folder/named_models.h"

namespace bigdna::apps {

using nlohmann::ordered_json;

namespace {
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
/// int of int*, std::optional<int>* and std::vector<int>*.
template <class T>
struct Element {
  using type = T;
};
template <class T>
struct Element<std::optional<T>> {
  using type = T;
};
template <class T>
struct Element<std::vector<T>> {
  using type = T;
};

constexpr const char* kResumeFlag = "--resume";

/// "--genome" of "-g,--genome".
std::string long_name(const std::string& flags) { return flags.substr(flags.rfind(',') + 1); }
}  // namespace

Option::Option(Field field, std::string flags, std::string help, std::string group)
    : field_(std::move(field)),
      flags_(std::move(flags)),
      name_(long_name(flags_)),
      help_(std::move(help)),
      group_(std::move(group)) {
  if (const auto* text = std::get_if<Text>(&field_)) names_ = text->names;
  initial_ = value();
}

Option& Option::check(CLI::Validator validator) {
  checks_.push_back(std::move(validator));
  return *this;
}

Option& Option::path_or_name() {
  transform_ = CLI::Validator(
      [](std::string& given) {
        given = model_folder::find_model(given);
        return std::string();
      },
      "");
  return *this;
}

Option& Option::writes(std::vector<io::Format> formats) {
  checks_.push_back(CLI::Validator(
      [formats](std::string& path) {
        io::format_of(path, formats);
        return std::string();
      },
      ""));
  return not_decisive();
}

Option& Option::one_of(std::vector<std::string> names) {
  names_ = std::move(names);
  return *this;
}

ordered_json Option::value() const {
  return std::visit(
      [](const auto& field) -> ordered_json {
        using Kept = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Kept, Text>)
          return field.get();
        else if constexpr (kIsOptional<std::remove_pointer_t<Kept>>)
          return *field ? ordered_json(**field) : ordered_json();
        else
          return *field;
      },
      field_);
}

void Option::take(const ordered_json& value) {
  std::visit(
      [&](const auto& field) {
        using Kept = std::decay_t<decltype(field)>;
        using T = std::remove_pointer_t<Kept>;
        if constexpr (std::is_same_v<Kept, Text>) {
          if (value.is_string() && value != "") field.set(value.template get<std::string>());
        } else if constexpr (kIsOptional<T>) {
          field->reset();
          if (!value.is_null()) *field = value.get<typename T::value_type>();
        } else {
          *field = value.get<T>();
        }
      },
      field_);
}

CLI::Option* Option::add_flag_with_value(CLI::App& app, bool* field) {
  const auto set = [this, field](const std::string& given) {  // CLI11 says "true" of a flag without a value
    if (given != "true" && given != value_)
      throw CLI::ValidationError(name_, concat("can be given alone or as ", name_, "=", value_));
    *field = true;
    has_value_ = given == value_;
  };
  return app.add_option_function<std::string>(flags_, set, "")->expected(0);
}

void Option::add_to(CLI::App& app) {
  const std::string flags = flags_;
  added_ = std::visit(
      [&](auto& field) -> CLI::Option* {
        using Kept = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Kept, Text>)
          return app.add_option_function<std::string>(flags, field.set, "");
        else if constexpr (std::is_same_v<Kept, bool*>)
          return value_.empty() ? app.add_flag(flags, *field, "") : add_flag_with_value(app, field);
        else
          return app.add_option(flags, *field, "");
      },
      field_);
  if (required_) added_->required();
  if (transform_)
    added_->transform(*transform_);
  else
    std::visit(
        [&](const auto& field) {
          using T = typename Element<std::remove_pointer_t<std::decay_t<decltype(field)>>>::type;
          if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) added_->transform(whole_number<T>());
        },
        field_);
  if (!std::holds_alternative<bool*>(field_)) added_->check(not_empty());
  if (!names_.empty()) added_->check(CLI::IsMember(names_));
  for (const auto& check : checks_) added_->check(check);
  if (repeatable_ || commas_) added_->allow_extra_args(false);
  if (commas_) added_->delimiter(',');
  if (least_ > 1) added_->expected(least_, 1 << 16);
}

Option& OptionList::add(Option::Field field, const std::string& flags, const std::string& help) {
  return options_.emplace_back(std::move(field), flags, help, group_);
}

Option& OptionList::resume(bool& field, const std::string& help) {
  return (*this)(field, kResumeFlag,
                 concat(help, ". ", kResumeFlag, "=replace starts over if options or inputs differ"))
      .may_have_value("replace")
      .not_decisive();
}

bool OptionList::replaces_others() const {
  return std::ranges::any_of(options_, [](const Option& o) { return o.name() == kResumeFlag && o.has_value(); });
}

void OptionList::add_to(CLI::App& app) {
  for (Option& option : options_) option.add_to(app);
  for (Option& option : options_) {
    for (const auto& other : option.excludes_) option.added_->excludes((*this)[other].added_);
    for (const auto& other : option.needs_) option.added_->needs((*this)[other].added_);
  }
}

Option& OptionList::operator[](const std::string& name) {
  const auto found =
      std::find_if(options_.begin(), options_.end(), [&](const Option& option) { return option.name() == name; });
  if (found == options_.end()) fail("unknown option ", name);
  return *found;
}

bool OptionList::given(const std::string& name) const {
  return const_cast<OptionList&>(*this)[name].added_->count() > 0;
}

std::string OptionList::given_with(const std::string& tag) const {
  std::string names;
  for (const Option& option : options_)
    if (option.added_->count() > 0 &&
        (option.group_ == tag || std::ranges::find(option.tags_, tag) != option.tags_.end()))
      names += (names.empty() ? "" : ", ") + option.name();
  return names;
}

void OptionList::refuse_with(const std::string& tag, const std::string& where) const {
  if (const std::string given = given_with(tag); !given.empty())
    throw UsageError(concat(given, given.find(',') == given.npos ? " has" : " have", " no effect ", where));
}

io::Job OptionList::job() const {
  io::Job job;
  if (std::ranges::none_of(options_, [](const Option& option) { return option.name() == kResumeFlag; })) return job;
  if (replaces_others()) job.replace_others();
  for (const Option& option : options_) {
    if (!option.decides_ && !option.recorded_) continue;
    auto value = option.value();
    if (option.input_ && value.is_array())
      for (auto& path : value) path = io::identity_of(path.get<std::string>(), option.files_);
    else if (option.input_ && value.is_string())
      value = io::identity_of(value.get<std::string>(), option.files_);
    job.set(option.name(), std::move(value));
    if (option.shapes_output_) job.only_shapes_output(option.name());
    if (option.recorded_) job.only_record(option.name());
    if (option.resolved_later_) job.must_resolve(option.name());
  }
  return job;
}

std::string OptionList::deciding_command(const std::string& command) const {
  std::string words = "bigdna " + command;
  const auto add = [&](const Option& option, const ordered_json& value) {
    if (!option.is_positional()) words += " " + option.name();
    if (!value.is_boolean()) words += " " + io::shell_word(value.is_string() ? value.get<std::string>() : value.dump());
  };
  for (const Option& option : options_) {
    const auto value = option.value();
    if (!option.decides_ || option.part_ || value == option.initial_ || value.is_null()) continue;
    if (!value.is_array())
      add(option, value);
    else if (!option.commas_)
      for (const auto& each : value) add(option, each);
    else {
      std::string joined;
      for (const auto& each : value)
        joined += (joined.empty() ? "" : ",") + (each.is_string() ? each.get<std::string>() : each.dump());
      add(option, joined);
    }
  }
  return words;
}

void OptionList::take_missing(const io::Job& earlier) { take(earlier, /*deciding=*/true); }
void OptionList::take_recorded(const std::string& job_file) {
  if (std::ranges::any_of(options_, [](const Option& o) { return o.recorded_; }) && io::exists(job_file))
    take(io::Job::load(job_file), /*deciding=*/false);
}

void OptionList::take(const io::Job& earlier, bool deciding) {
  const auto& values = earlier.values();
  for (Option& option : options_) {
    const auto found = values.find(option.name());
    const bool wanted = option.recorded_ || (deciding && option.decides_);
    if (!wanted || found == values.end() || option.added_->count() > 0) continue;
    option.take(found->is_object() && found->contains("path") ? found->at("path") : *found);
  }
}

namespace {
/// The texts of an option's value: one, several or, if it has none, none.
std::vector<std::string> paths_of(const ordered_json& value) {
  if (value.is_null()) return {};
  return value.is_array() ? value.get<std::vector<std::string>>() : std::vector{value.get<std::string>()};
}
}  // namespace

std::vector<std::string> OptionList::inputs() const {
  std::vector<std::string> paths;
  for (const Option& option : options_)
    if (option.input_) std::ranges::copy(paths_of(option.value()), std::back_inserter(paths));
  return paths;
}

void OptionList::check_files() const {
  constexpr std::string_view kFileTypes[] = {"FASTA", "BED", "VCF"};  // an option of these reads nothing else
  for (const Option& option : options_) {
    if (!option.input_ || std::ranges::find(kFileTypes, std::string_view(option.type_)) == std::end(kFileTypes))
      continue;
    for (const auto& path : paths_of(option.value()))
      if (std::error_code error; !path.empty() && path != "-" && path.find("://") == path.npos &&
                                 !std::filesystem::exists(path, error) && !io::exists(path))  // a pipe; a tar's member
        fail(path, ": ", errno_text(ENOENT));
  }
}

void OptionList::log_inputs() const {
  namespace fs = std::filesystem;
  if (log::level() < log::Level::verbose) return;
  for (const auto& path : inputs()) {
    std::error_code error;
    if (const auto bytes = fs::file_size(path, error); !error) {
      log::verbose("input ", path, ": ", log::human(static_cast<double>(bytes)), "B");
    } else if (fs::is_directory(path, error)) {
      double sum = 0;
      int64_t files = 0;
      for (const auto& entry : fs::recursive_directory_iterator(path, error))
        if (entry.is_regular_file(error)) sum += static_cast<double>(entry.file_size(error)), ++files;
      log::verbose("input ", path, ": ", counted(files, "file"), ", ", log::human(sum), "B");
    }
  }
}

}  // namespace bigdna::apps
