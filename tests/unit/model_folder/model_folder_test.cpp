#include "model_folder/model_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "genome/interval_set.h"
#include "io/tar.h"
#include "support.h"

namespace bigdna::model_folder {
namespace {

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    config_.layers = 1, config_.heads = 1, config_.hidden = 4, config_.ffn = 8, config_.max_length = 16,
    config_.vocab_size = 9;
    std::vector<tokenizer::Piece> pieces;
    for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) pieces.push_back({special, 0, true});
    for (const char* base : {"A", "C", "G", "T"}) pieces.push_back({base, -1, false});
    vocabulary_.emplace(pieces, tokenizer::SpecialTokens{});
  }

  void write() {
    std::vector<float> zeros(1000);
    std::vector<io::ArrayToWrite> arrays;
    for (const auto& [name, shape] : parameter_shapes(config_)) {
      size_t count = 1;
      for (const int64_t extent : shape) count *= static_cast<size_t>(extent);
      arrays.push_back(io::array(name, std::span<const float>(zeros.data(), count), shape));
    }
    io::write_safetensors(path_ + "/model.safetensors", arrays);
    io::Manifest manifest;
    genome::IntervalSet held_out;
    held_out.add("chr20", 100, 2000);
    manifest.details[kHeldOutIntervals] = to_json(held_out);
    write_model_folder(path_, config_, *vocabulary_, manifest);
  }
  std::string error() {
    try {
      ModelFolder::open(path_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  ModelConfig config_;
  std::optional<tokenizer::Vocabulary> vocabulary_;
  test::TempDir dir_;
  std::string path_ = dir_.path();
};

TEST(NameOf, IsThatOfTheRun) {
  for (const char* path : {"a/run", "run/", "a/run/model", "a/run/model/", "run.tar", "a/run.tar", "a/run.tar/model"})
    EXPECT_EQ(name_of(path), "run") << path;
  EXPECT_EQ(name_of("a/run.v2"), "run.v2");
}

TEST_F(Folder, OpensFromATar) {
  write();
  const test::TempDir dir;
  io::write_tar(path_, {"config.json", "model.safetensors", "spiece.model", "bigdna.json"}, dir / "m.tar");
  const auto folder = ModelFolder::open(dir / "m.tar");
  EXPECT_EQ(folder.config, config_);
  EXPECT_EQ(folder.vocabulary.hash(), vocabulary_->hash());
  io::write_tar(path_, {"config.json", "spiece.model", "bigdna.json"}, dir / "m.tar");
  EXPECT_EQ(test::error_of([&] { ModelFolder::open(dir / "m.tar"); }),
            dir / "m.tar/model.safetensors: no such file (a model folder has one)");
}

TEST_F(Folder, OpensAsWritten) {
  write();
  const auto folder = ModelFolder::open(path_);
  EXPECT_EQ(folder.config, config_);
  EXPECT_EQ(folder.vocabulary.hash(), vocabulary_->hash());
  EXPECT_EQ(folder.manifest.kind, "model");
  EXPECT_TRUE(folder.held_out_intervals().overlaps("chr20", 1999, 2005));
  EXPECT_TRUE(folder.training_intervals().empty());
  for (const char* name : {"config.json", "spiece.model", "tokenizer.json", "tokenizer_config.json", "bigdna.json"})
    EXPECT_TRUE(std::filesystem::exists(path_ + "/" + name)) << name;
}

TEST_F(Folder, WithoutOurManifestIsTransformers) {
  write();
  std::filesystem::remove(path_ + "/bigdna.json");
  EXPECT_EQ(ModelFolder::open(path_).manifest.kind, "");
}

TEST_F(Folder, AnotherVocabularyOfTheSameSizeIsRefused) {
  write();
  auto json = nlohmann::ordered_json::parse(io::read_file(path_ + "/bigdna.json"));
  EXPECT_EQ(json["vocabulary_hash"], vocabulary_->hash());
  json["vocabulary_hash"] = "another";
  io::write_file(path_ + "/bigdna.json", json.dump());
  EXPECT_EQ(error(), path_ + ": its vocabulary (hash " + vocabulary_->hash() +
                         ") is not the one it was trained with (bigdna.json records another)");
}

TEST_F(Folder, UnfinishedIsRefused) {
  write();
  io::write_file(path_ + "/" + io::kUnfinishedMarker, "");
  EXPECT_NE(error().find("is unfinished"), std::string::npos);
}

TEST_F(Folder, ErrorsNameWhatIsMissing) {
  EXPECT_EQ(error(), path_ + "/config.json: no such file (a model folder has one)");
  write();
  std::filesystem::resize_file(path_ + "/model.safetensors", 300);
  EXPECT_NE(error().find(path_ + "/model.safetensors"), std::string::npos);
  std::filesystem::remove(path_ + "/model.safetensors");
  EXPECT_EQ(error(), path_ + "/model.safetensors: no such file (a model folder has one)");
  io::write_file(path_ + "/pytorch_model.bin", "x");
  EXPECT_NE(error().find("pytorch_model.bin: is not a safetensors file"), std::string::npos);
  io::write_file(path_ + "/config.json", "{");
  EXPECT_NE(error().find(path_), std::string::npos);
  path_ += "/nowhere";
  EXPECT_EQ(error(), path_ +
                         ": not a model folder (no such folder), and not the name of a model (bigdna info "
                         "--models)");
}

}  // namespace
}  // namespace bigdna::model_folder
