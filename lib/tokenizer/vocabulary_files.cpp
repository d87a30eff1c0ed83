#include <filesystem>

#include "base/error.h"
#include "io/output.h"
#include "tokenizer/files.h"

namespace bigdna::tokenizer {

Vocabulary Vocabulary::load(const std::string& path) {
  std::string file = path;
  if (std::filesystem::is_directory(path)) {
    file.clear();
    for (const char* name : {"spiece.model", "dna.model", "tokenizer.json"})
      if (file.empty() && std::filesystem::exists(path + "/" + name)) file = path + "/" + name;
    if (file.empty()) fail(path, ": holds no vocabulary (spiece.model, dna.model or tokenizer.json)");
  }
  const std::string bytes = io::read_file(file);
  return file.ends_with(".json") ? from_tokenizer_json(bytes, file) : from_model_proto(bytes, file);
}

void Vocabulary::save_model(const std::string& path) const { io::write_file(path, to_model_proto(*this)); }

void Vocabulary::save_text(const std::string& path) const {
  std::string text;
  for (const auto& piece : pieces_) text += concat(piece.text, "\t", piece.score, "\n");
  io::write_file(path, text);
}

void Vocabulary::save_tokenizer_json(const std::string& path) const { io::write_file(path, to_tokenizer_json(*this)); }

void Vocabulary::save_tokenizer_config(const std::string& path, int64_t max_length) const {
  io::write_file(path, to_tokenizer_config(*this, max_length));
}

}  // namespace bigdna::tokenizer
