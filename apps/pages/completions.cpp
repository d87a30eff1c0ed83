#include <algorithm>

#include "apps/pages/pages.h"

#include "base/table.h"

namespace bigdna::apps {
namespace {

/// "-o,--output" -> {"-o", "--output"}.
std::vector<std::string> names_of(const OptionText& option) {
  std::vector<std::string> names;
  for (size_t at = 0; at < option.flags.size();) {
    const size_t end = std::min(option.flags.find(',', at), option.flags.size());
    names.push_back(option.flags.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// The first words, or the second ones of `parent`.
std::vector<std::string> words_after(const CommandLine& program, const std::string& parent) {
  std::vector<std::string> words;
  for (const auto& command : program.commands()) {
    const auto space = command.name.find(' ');
    const std::string word = parent.empty()                           ? command.name.substr(0, space)
                             : command.name.starts_with(parent + " ") ? command.name.substr(space + 1)
                                                                      : "";
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

/// Text inside a zsh specification in single quotes: "--x[text]:value:action".
std::string zsh_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c;
  }
  return out;
}

const std::string kGlobal = "--help --help-all --version --version-only";

}  // namespace

std::string bash_completion(const CommandLine& program) {
  std::string text =
      concat("# Completion of bigdna ", version(), R"( for bash. Names of files where nothing else is known.
_bigdna() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ")",
             joined(words_after(program, ""), " "), " ", kGlobal, R"(" -- "$current"))
    return
  fi
  case $command in
)");
  for (const auto& parent : parent_commands(program))
    text += concat("    ", parent, ") words=\"", joined(words_after(program, parent), " "), "\" ;;\n");
  for (const auto& name : second_commands(program)) {
    const auto space = name.find(' ');
    const std::string first = name.substr(0, space), second = name.substr(space + 1);
    text += concat("    ", first, R"()
      if ((COMP_CWORD == 2)) && [[ $current != -* ]]; then
        COMPREPLY=($(compgen -W ")",
                   second, R"(" -- "$current") $(compgen -f -- "$current"))
        return
      elif ((COMP_CWORD > 2)) && [[ ${COMP_WORDS[2]} == )",
                   second, R"( ]]; then
        command+=" ${COMP_WORDS[2]}"
      fi ;;
)");
  }
  text += R"(  esac
  if [[ -n $words ]]; then
    if ((COMP_CWORD == 2)); then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
    command+=" ${COMP_WORDS[2]}" words=
  fi
  case $command:$previous in
)";
  for (size_t i = 0; i < program.commands().size(); ++i)
    for (const auto& option : option_texts(program.options(i))) {
      if (option.flags.empty() || option.value.empty()) continue;
      std::vector<std::string> patterns;
      for (const auto& name : names_of(option))
        patterns.push_back(concat("\"", program.commands()[i].name, ":", name, "\""));
      text +=
          concat("    ", joined(patterns, "|"), ") ",
                 option.choices.empty() ? "return" : concat("words=\"", joined(option.choices, " "), "\""), " ;;\n");
    }
  text += R"(  esac
  if [[ -z $words && $current == -* ]]; then
    case $command in
)";
  for (size_t i = 0; i < program.commands().size(); ++i) {
    std::vector<std::string> flags;
    for (const auto& option : option_texts(program.options(i)))
      for (const auto& name : names_of(option)) {
        flags.push_back(name);
        if (!option.flag_value.empty()) flags.push_back(name + "=" + option.flag_value);
      }
    text += concat("      \"", program.commands()[i].name, "\") words=\"", joined(flags, " "), " --help\" ;;\n");
  }
  return text + R"(    esac
  fi
  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _bigdna bigdna
)";
}

std::string zsh_completion(const CommandLine& program) {
  const auto described = [&](const std::string& parent) {
    std::string lines;
    for (const auto& word : words_after(program, parent)) {
      const std::string name = parent.empty() ? word : parent + " " + word;
      const auto* found = find_row(program.commands(), name);
      lines += concat(" '", word, !found ? "" : ":" + zsh_quoted(found->summary), "'");
    }
    return lines;
  };
  std::string text =
      concat("#compdef bigdna\n# Completion of bigdna ", version(), " for zsh.\n", R"(local command=$words[2]
local -a choices
if ((CURRENT == 2)); then
  choices=()",
             described("").substr(1), R"()
  _describe command choices
  return
fi
case $command in
)");
  for (const auto& parent : parent_commands(program))
    text += concat("  ", parent, ") choices=(", described(parent).substr(1), ") ;;\n");
  for (const auto& name : second_commands(program)) {
    const auto space = name.find(' ');
    text += concat("  ", name.substr(0, space), ") [[ $words[3] == ", name.substr(space + 1),
                   " ]] && { command+=\" $words[3]\"; shift words; ((CURRENT--)) } ;;\n");
  }
  text += R"(esac
if (($#choices)); then
  if ((CURRENT == 3)); then
    _describe command choices
    return
  fi
  command+=" $words[3]"
  shift words
  ((CURRENT--))
fi
shift words
((CURRENT--))
case $command in
)";
  for (size_t i = 0; i < program.commands().size(); ++i) {
    text += concat("  \"", program.commands()[i].name, "\") _arguments -s");
    for (const auto& option : option_texts(program.options(i))) {
      if (option.flags.empty()) continue;
      const auto names = names_of(option);
      std::string value;
      if (!option.value.empty()) {
        value = ":" + zsh_quoted(option.choices.empty() ? option.value : "value") + ":";
        value += option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
      }
      if (!option.flag_value.empty()) value = "::value:(" + option.flag_value + ")";
      const std::string once = option.repeatable ? "'*'" : names.size() > 1 ? "'(" + joined(names, " ") + ")'" : "";
      text += " \\\n    " + once + (names.size() > 1 ? "{" + joined(names, ",") + "}" : names[0]) +
              (option.flag_value.empty() ? "'[" : "'=-[") + zsh_quoted(option.text) + "]" + value + "'";
    }
    text += " \\\n    '(- *)'{-h,--help}'[Print the help]' \\\n    '*:file:_files' ;;\n";
  }
  return text + "esac\n";
}

}  // namespace bigdna::apps
