#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/options/option.h"
#include "base/error.h"

namespace bigdna::apps {

namespace {
constexpr size_t kWidth = 110, kColumn = 34;

/// Appends `text` in lines of kWidth at most, from column kColumn on; the first one continues `line`.
void wrap(std::string& out, std::string line, std::string_view text) {
  const std::string margin(kColumn, ' ');
  if (line.size() + 2 > kColumn) {
    out += line + '\n';
    line = margin;
  }
  line.resize(kColumn, ' ');
  bool empty = true;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!empty && line.size() + 1 + word.size() > kWidth) {
      out += line + '\n';
      line = margin;
      empty = true;
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  out += line + '\n';
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}
}  // namespace

/// One option as --help shows it.
class HelpText {
 public:
  static std::string placeholder(const Option& o) {
    if (!o.type_.empty()) return o.type_;
    if (!o.names_.empty()) return joined(o.names_, "|");
    if (o.is_positional()) {
      std::string name = o.name_;
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
      return name;
    }
    return std::visit(
        [](const auto& field) -> std::string {
          using Kept = std::decay_t<decltype(field)>;
          if constexpr (std::is_same_v<Kept, bool*>)
            return "";
          else if constexpr (std::is_same_v<Kept, double*> || std::is_same_v<Kept, std::optional<double>*>)
            return "X";
          else if constexpr (std::is_same_v<Kept, std::string*> || std::is_same_v<Kept, std::optional<std::string>*> ||
                             std::is_same_v<Kept, std::vector<std::string>*>)
            return "TEXT";
          else
            return "N";
        },
        o.field_);
  }

  static std::string default_of(const Option& o) {
    if (o.default_) return *o.default_;
    const auto& value = o.initial_;
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) {
      std::string text;
      for (const auto& item : value)
        text += (text.empty() ? "" : ",") + (item.is_string() ? item.get<std::string>() : item.dump());
      return text;
    }
    return value.is_number() ? value.dump() : "";
  }

  /// Names as the usage line has them: "--genome", but "FASTA" for an argument.
  static std::string shown(const std::vector<std::string>& names, const OptionList& list) {
    std::vector<std::string> words;
    for (const std::string& name : names) {
      const auto named = std::ranges::find(list.options_, name, &Option::name);
      words.push_back(named->is_positional() ? placeholder(*named) : name);
    }
    return joined(words, ", ");
  }

  static OptionText describe(const Option& o, const OptionList& list) {
    OptionText text_of{o.is_positional() ? "" : o.flags_, placeholder(o), o.help_, o.group_, o.names_, o.required_,
                       o.repeatable_ || o.least_ > 1,     o.value_};
    std::string& text = text_of.text;
    if (o.repeatable_) text += " (repeatable)";
    if (!o.excludes_.empty()) text += " (not with " + shown(o.excludes_, list) + ")";
    if (!o.needs_.empty()) text += " (with " + shown(o.needs_, list) + ")";
    if (o.required_ && !o.is_positional()) text += " (required)";
    if (const std::string value = default_of(o); !value.empty()) text += " [" + value + "]";
    return text_of;
  }

  static std::vector<OptionText> describe(const OptionList& list) {
    std::vector<OptionText> texts;
    for (const Option& o : list.options_) texts.push_back(describe(o, list));
    return texts;
  }
};

namespace {
std::string line_of(const OptionText& o) {
  std::string line = "  " + o.flags, out;
  if (!o.value.empty()) line += (o.flags.empty() ? "" : " ") + o.value;
  if (!o.flag_value.empty()) line += "[=" + o.flag_value + "]";
  wrap(out, line, o.text);
  return out;
}

std::string options_text(const OptionList& list) {
  const auto options = option_texts(list);
  std::vector<std::string> groups;
  for (const auto& o : options)
    if (!o.flags.empty() && std::find(groups.begin(), groups.end(), o.group) == groups.end()) groups.push_back(o.group);
  std::string text, lines;
  for (const auto& o : options)
    if (o.flags.empty()) lines += line_of(o);
  if (!lines.empty()) text += "\nArguments:\n" + lines;
  for (const auto& group : groups) {
    text += "\n" + group + ":\n";
    for (const auto& o : options)
      if (!o.flags.empty() && o.group == group) text += line_of(o);
  }
  std::string help;
  wrap(help, "  -h,--help", "Print this help");
  return text + help;
}
}  // namespace

std::vector<OptionText> option_texts(const OptionList& options) { return HelpText::describe(options); }

std::string usage_text(const CommandText& command, const OptionList& options) {
  std::string text = "Usage: bigdna " + command.name + " [OPTIONS]";
  for (const auto& o : option_texts(options)) {
    if (!o.required && !o.flags.empty()) continue;
    const std::string word = o.flags.empty() ? o.value : o.flags.substr(0, o.flags.find(',')) + " " + o.value;
    text += " " + (o.required ? word : "[" + word + "]");
  }
  return text + "\n";
}

std::string help_text(const CommandText& command, const OptionList& options) {
  std::string text = command.summary + ".\n" + command.advice + "\nExample:\n  " + command.example + "\n\n" +
                     usage_text(command, options) + options_text(options);
  if (!command.details.empty()) text += "\n" + command.details;
  if (text.back() != '\n') text += '\n';
  return text;
}

std::string help_of_commands(const std::vector<CommandText>& commands, const std::string& parent) {
  std::vector<std::string> groups;
  for (const auto& command : commands)
    if (std::find(groups.begin(), groups.end(), command.group) == groups.end()) groups.push_back(command.group);
  std::string text;
  for (const auto& group : groups) {
    std::string lines;
    for (const auto& command : commands)
      if (command.group == group && (parent.empty() || command.name.starts_with(parent + " ")))
        wrap(lines, "  " + command.name, command.summary);
    if (!lines.empty()) text += "\n" + group + ":\n" + lines;
  }
  return text;
}

}  // namespace bigdna::apps
