/// An option is declared once, by the `visit` of its command's struct:
///
///   void LiftoverOptions::visit(OptionList& visit) {
///     visit(chain, "--chain", "UCSC chain file").type("CHAIN").input().required();
///     visit(min_match, "--min-match", "Share of a record's bases that one chain must align").check(between(0.0, 1.0));
///     common.visit(visit);
///   }
///
/// The command line, --help, the job that --resume compares (io::Job) and the names of conflicting flags all read the
/// resulting list. An option's default is the value of its field when it is visited, i.e. the member initialiser.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/formats.h"
#include "io/identity.h"
#include "io/job.h"
#include "model_folder/model_folder.h"

namespace bigdna::apps {

class Option {
 public:
  /// A value that is written as text, such as one of several names. `set` throws CLI::ValidationError.
  struct Text {
    std::function<std::string()> get;
    std::function<void(const std::string&)> set;
    std::vector<std::string> names;  // all allowed values; empty if they cannot be listed
  };
  using Field = std::variant<bool*, int*, int64_t*, uint64_t*, double*, std::string*, std::vector<std::string>*,
                             std::vector<int64_t>*, std::optional<int>*, std::optional<int64_t>*,
                             std::optional<double>*, std::optional<std::string>*, Text>;

  Option(Field field, std::string flags, std::string help, std::string group);

  // What is said of an option beside its field, flags and help; each returns the option.
  Option& type(std::string name) { return type_ = std::move(name), *this; }  // of its value, in the help: "BED"
  Option& required() { return required_ = true, *this; }
  Option& check(CLI::Validator validator);
  Option& one_of(std::vector<std::string> names);
  Option& transform(CLI::Validator validator) { return transform_ = std::move(validator), *this; }
  Option& default_is(std::string text) {
    return default_ = std::move(text), *this;
  }                                                              // in the help, where the field cannot say it
  Option& repeatable() { return repeatable_ = true, *this; }     // a list: one value per flag
  Option& commas() { return commas_ = true, *this; }             // a list: values joined by commas
  Option& at_least(int count) { return least_ = count, *this; }  // a positional list
  Option& excludes(std::initializer_list<const char*> others) {
    return excludes_.assign(others.begin(), others.end()), *this;
  }
  Option& needs(std::initializer_list<const char*> others) {
    return needs_.assign(others.begin(), others.end()), *this;
  }
  /// A file or folder that is read: the job compares its contents (io::identity_of), not its name. `files` gives the
  /// files that are read because of it, where these are not the file itself, or what a folder's manifest lists.
  Option& input(io::FilesOf files = nullptr) { return input_ = true, files_ = files, *this; }
  /// The path of a model may also be the name of one (model_folder/named_models.h).
  Option& path_or_name();
  /// An input that is a model.
  Option& model() { return type("MODEL").path_or_name().input(model_folder::files_of); }
  /// The option does not decide the result, only where it goes, what is printed, or how fast. Jobs that differ in it
  /// are the same.
  Option& not_decisive() { return decides_ = false, *this; }
  /// The same, but the job records its value, which a resumed run takes where the option is not given again.
  Option& recorded() { return recorded_ = true, not_decisive(); }
  /// An output file, which can have one of these formats (io::format_of()): another suffix is a usage error.
  Option& writes(std::vector<io::Format> formats);
  /// The option chooses a part of the job: the outputs of the parts, joined, say what that of the whole job says.
  Option& chooses_part() { return part_ = true, *this; }
  /// The option decides how scores are written, not the scores (io::Job::only_shapes_output()).
  Option& shapes_output() { return shapes_output_ = true, *this; }
  /// The value "auto" stands for another on each machine, and decides the result: the job records which
  /// (io::Job::resolve).
  Option& resolved_later() { return resolved_later_ = true, *this; }
  /// A flag that may be given as --FLAG=VALUE, too (has_value()).
  Option& may_have_value(std::string value) { return value_ = std::move(value), *this; }
  bool has_value() const { return has_value_; }
  /// Adds the option to a named set, for OptionList::given_with(tag).
  Option& tag(std::string name) { return tags_.push_back(std::move(name)), *this; }

  /// "--genome" for "-g,--genome"; a positional argument's name as it is.
  const std::string& name() const { return name_; }
  bool is_positional() const { return flags_.front() != '-'; }
  nlohmann::ordered_json value() const;
  /// Sets the field from a result of value().
  void take(const nlohmann::ordered_json& value);

 private:
  friend class OptionList;
  friend class HelpText;
  void add_to(CLI::App& app);
  CLI::Option* add_flag_with_value(CLI::App& app, bool* field);

  Field field_;
  std::string flags_, name_, help_, group_, type_, value_;
  std::optional<std::string> default_;
  std::vector<CLI::Validator> checks_;
  std::optional<CLI::Validator> transform_;
  std::vector<std::string> names_, excludes_, needs_, tags_;
  bool required_ = false, repeatable_ = false, commas_ = false, input_ = false, decides_ = true, shapes_output_ = false,
       part_ = false, resolved_later_ = false, recorded_ = false, has_value_ = false;
  io::FilesOf files_ = nullptr;
  int least_ = 1;
  nlohmann::ordered_json initial_;
  CLI::Option* added_ = nullptr;
};

/// A command's options in the order of its help. visit() functions call it.
class OptionList {
 public:
  template <class T>
  Option& operator()(T& field, const std::string& flags, const std::string& help) {
    return add(Option::Field(&field), flags, help);
  }
  Option& operator()(Option::Text text, const std::string& flags, const std::string& help) {
    return add(std::move(text), flags, help);
  }
  /// One of several values, each with its name.
  template <class T>
  Option& choice(T& field, const std::string& flags, std::vector<std::pair<std::string, T>> choices,
                 const std::string& help) {
    Option::Text text;
    for (const auto& choice : choices) text.names.push_back(choice.first);
    text.get = [&field, choices] {
      for (const auto& [name, value] : choices)
        if (value == field) return name;
      return std::string();
    };
    text.set = [&field, choices](const std::string& given) {
      for (const auto& [name, value] : choices)
        if (name == given) field = value;
    };
    return add(std::move(text), flags, help);
  }
  /// --resume, and --resume=replace, with which job() replaces what others made. `help` says what is continued.
  Option& resume(bool& field, const std::string& help);
  /// Whether --resume=replace was given.
  bool replaces_others() const;
  /// Sets the heading of the options that follow.
  void group(std::string name) { group_ = std::move(name); }

  void add_to(CLI::App& app);
  Option& operator[](const std::string& name);
  bool given(const std::string& name) const;
  /// The options on the command line that carry `tag`, or stand under this heading, joined by commas; "" for none.
  std::string given_with(const std::string& tag) const;
  /// UsageError "--a, --b have no effect WHERE" if given_with(tag) has some.
  void refuse_with(const std::string& tag, const std::string& where) const;
  /// The options that decide the result, and those that are recorded. Empty for commands without --resume, which
  /// compare nothing.
  io::Job job() const;
  /// The command line with the options that decide the result and differ from their defaults, as a shell reads it.
  std::string deciding_command(const std::string& command) const;
  /// Sets those options that decide the result or are recorded, and are not on the command line, to the values of an
  /// earlier job.
  void take_missing(const io::Job& earlier);
  /// The same for Option::recorded() alone, of the job in a file, if there is one.
  void take_recorded(const std::string& job_file);
  /// The files and folders that are read.
  std::vector<std::string> inputs() const;
  /// Error if a FASTA, BED or VCF file of the command line does not exist, as its reader would say. It spares a command
  /// the start of LibTorch.
  void check_files() const;
  /// With -v, a line about the size of each of inputs().
  void log_inputs() const;

 private:
  friend class HelpText;
  void take(const io::Job& earlier, bool deciding);
  Option& add(Option::Field field, const std::string& flags, const std::string& help);
  std::deque<Option> options_;
  std::string group_ = "Options";
};

/// The texts of a command: a summary of one line, an example of a command line, and details (what it writes, its
/// columns).
struct CommandText {
  std::string name, group, summary, example, details;
  std::string advice{};  // which of several commands to take; "" for most
};
/// An option as help, man pages and completions show it.
struct OptionText {
  std::string flags;                 // "-o,--output"; "" for a positional argument
  std::string value;                 // placeholder of its value: "DIR", "N", "auto|cpu"; "" if it takes none
  std::string text;                  // what it does, what it needs, its default
  std::string group;                 // a heading: "Device"
  std::vector<std::string> choices;  // all values, if they can be listed
  bool required = false, repeatable = false;
  std::string flag_value{};  // "replace" of --resume[=replace]; "" for others
};
/// In the order of the help.
std::vector<OptionText> option_texts(const OptionList& options);
/// "Usage: bigdna COMMAND [OPTIONS] INPUT ...".
std::string usage_text(const CommandText& command, const OptionList& options);
/// `bigdna COMMAND --help`: purpose, example, usage, options in groups, details.
std::string help_text(const CommandText& command, const OptionList& options);
/// A line per command, under the headings of their groups. Only `parent`'s commands, unless that is "".
std::string help_of_commands(const std::vector<CommandText>& commands, const std::string& parent);

}  // namespace bigdna::apps
