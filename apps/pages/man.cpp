#include <algorithm>
#include <string_view>

#include "apps/pages/pages.h"

namespace bigdna::apps {
namespace {

/// Escapes text for roff: no line is a request, and "-" can be pasted.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string title(const std::string& name) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  return concat(".TH ", roff(upper), " 1 \"\" \"bigdna ", version(), "\" \"bigdna\"\n");
}

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string example(const std::string& text) {
  return ".nf\n" + roff(text) + (text.ends_with('\n') ? "" : "\n") + ".fi\n";
}

std::string entry(const OptionText& option) {
  std::string names;
  for (const char c : option.flags) names += c == ',' ? std::string(", ") : std::string(1, c);
  std::string head = names.empty() ? "" : "\\fB" + roff(names) + "\\fR";
  if (!option.flag_value.empty()) head += "[=" + roff(option.flag_value) + "]";
  if (!option.value.empty()) head += (head.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
  return ".TP\n" + head + "\n" + roff(option.text) + ".\n";
}

}  // namespace

std::string man_page(const CommandLine& program) {
  std::string text = title("bigdna") +
                     ".SH NAME\nbigdna \\- DNA language models on the command line\n.SH SYNOPSIS\n\\fBbigdna\\fR "
                     "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH COMMANDS\n";
  for (const auto& command : program.commands())
    text += concat(".TP\n\\fBbigdna ", roff(command.name), "\\fR\n", roff(command.summary), ". See \\fBbigdna\\-",
                   roff(dashed(command.name)), "\\fR(1).\n");
  return text +
         ".SH EXIT STATUS\n0 success; 1 failure; 2 usage; 143, 130, 129, 138 or 140 after SIGTERM, SIGINT, SIGHUP, "
         "SIGUSR1 or SIGUSR2; training has saved a checkpoint then.\n";
}

std::string man_page(const CommandLine& program, size_t i) {
  const CommandText& command = program.commands()[i];
  const OptionList& list = program.options(i);
  const std::string name = "bigdna-" + dashed(command.name);
  std::string usage = usage_text(command, list);
  usage = usage.substr(usage.find(": ") + 2);
  std::string text =
      title(name) + ".SH NAME\n" + roff(name) + " \\- " + roff(command.summary) + "\n.SH SYNOPSIS\n" + example(usage);
  if (!command.advice.empty()) text += ".SH DESCRIPTION\n" + roff(command.advice);
  text += ".SH EXAMPLE\n" + example(command.example);
  const auto options = option_texts(list);
  std::string arguments;
  for (const auto& option : options)
    if (option.flags.empty()) arguments += entry(option);
  if (!arguments.empty()) text += ".SH ARGUMENTS\n" + arguments;
  std::vector<std::string> groups;
  for (const auto& option : options)
    if (!option.flags.empty() && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  text += ".SH OPTIONS\n";
  for (const auto& group : groups) {
    text += ".SS " + roff(group) + "\n";
    for (const auto& option : options)
      if (!option.flags.empty() && option.group == group) text += entry(option);
  }
  text += entry({"-h,--help", "", "Print the help", "", {}});
  if (!command.details.empty()) text += ".SH DETAILS\n" + example(command.details);
  return text + ".SH SEE ALSO\n\\fBbigdna\\fR(1)\n";
}

}  // namespace bigdna::apps
