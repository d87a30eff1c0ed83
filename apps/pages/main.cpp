/// bigdna_pages FOLDER: writes man pages and completions below FOLDER (share). A part of the build; it is not
/// installed.
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "apps/pages/pages.h"
#include "base/table.h"
#include "io/output.h"

namespace bigdna::apps {

std::vector<std::string> parent_commands(const CommandLine& program) {
  std::vector<std::string> parents;
  for (const auto& command : program.commands()) {
    const std::string first = command.name.substr(0, command.name.find(' '));
    if (!find_row(program.commands(), first) && std::ranges::find(parents, first) == parents.end())
      parents.push_back(first);
  }
  return parents;
}

std::vector<std::string> second_commands(const CommandLine& program) {
  std::vector<std::string> names;
  for (const auto& command : program.commands())
    if (const auto space = command.name.find(' ');
        space != std::string::npos && find_row(program.commands(), command.name.substr(0, space)))
      names.push_back(command.name);
  return names;
}

namespace {
void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  io::write_file(path.string(), text);
}
}  // namespace

}  // namespace bigdna::apps

int main(int argc, char** argv) {
  using namespace bigdna::apps;
  if (argc != 2) {
    std::cerr << "usage: bigdna_pages FOLDER\n";
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    CommandLine program;
    define_commands(program, [](auto&, const OptionList&) {});
    write(folder / "man/man1/bigdna.1", man_page(program));
    for (size_t i = 0; i < program.commands().size(); ++i) {
      std::string name = program.commands()[i].name;
      std::replace(name.begin(), name.end(), ' ', '-');
      write(folder / "man/man1" / ("bigdna-" + name + ".1"), man_page(program, i));
    }
    write(folder / "bash-completion/completions/bigdna", bash_completion(program));
    write(folder / "zsh/site-functions/_bigdna", zsh_completion(program));
  } catch (const std::exception& error) {
    std::cerr << "bigdna_pages: " << error.what() << "\n";
    return 1;
  }
}
