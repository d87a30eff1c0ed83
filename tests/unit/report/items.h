/// What the tests of report's readers share: an item of a text, and a section of an item.
#pragma once

#include <stdexcept>
#include <string>

#include "io/output.h"
#include "report/readers.h"
#include "support.h"

namespace bigdna::report {

inline const Section& section(const Item& item, const std::string& title) {
  for (const auto& section : item.sections)
    if (section.title == title) return section;
  throw std::runtime_error("no section " + title);
}

inline Item item_of(const std::string& text, const std::string& name = "x.tsv") {
  const test::TempDir folder;
  io::write_file(folder / name, text);
  return read_item(folder / name);
}

}  // namespace bigdna::report
