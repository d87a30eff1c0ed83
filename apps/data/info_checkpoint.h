/// What `info` says of RUN/checkpoints and of the folders in it (train/checkpoint.h), which have no manifest.
#pragma once

#include <string>

#include "apps/data/page.h"

namespace bigdna::apps {

/// Whether a folder is a checkpoint: parameters with a state.json, or finetune's best-N.
bool is_checkpoint(const std::string& folder);
/// Its step, the shape of its model, and where its run and the run's model are. Error naming a file that is missing,
/// truncated or (with `checksums`) altered.
void describe_checkpoint(Page& page, const std::string& folder, bool checksums);
/// Error that says what to name instead if the folder is RUN/checkpoints.
void refuse_checkpoints(const std::string& folder);

}  // namespace bigdna::apps
