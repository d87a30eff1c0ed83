#include "tokenizer/vocabulary_folder.h"

namespace bigdna::tokenizer {

void write_vocabulary_folder(const std::string& folder, const Vocabulary& vocabulary, io::Manifest manifest) {
  vocabulary.save_model(folder + "/dna.model");
  vocabulary.save_text(folder + "/dna.vocab");
  vocabulary.save_tokenizer_json(folder + "/tokenizer.json");
  vocabulary.save_tokenizer_config(folder + "/tokenizer_config.json", 0, /*token_types=*/false);
  nlohmann::ordered_json details = {{"pieces", vocabulary.size()},
                                    {"vocabulary_hash", vocabulary.hash()},
                                    {"mean_piece_length", vocabulary.mean_piece_length()}};
  details.update(manifest.details);
  manifest.details = std::move(details);
  manifest.kind = "vocabulary";
  for (const char* name : {"dna.model", "dna.vocab", "tokenizer.json", "tokenizer_config.json"})
    manifest.add_file(folder, name);
  manifest.save(folder + "/" + io::manifest_name("vocabulary"));
}

}  // namespace bigdna::tokenizer
