/// The streams of random numbers that a seed is divided into: mix({seed, kStream, ...}). What is drawn from one stream
/// does not depend on what is drawn from another. A value is never changed, or results would be.
#pragma once

#include <cstdint>

namespace bigdna {

enum Stream : uint64_t {
  // datasets and splits
  kHeldOutBlocks = 0x686f6c64,  // blocks of a genome that are held out
  kSplitBlocks = 0x5917,        // blocks of a split
  kFoldBlocks = 0xf01d,         // blocks of a fold
  kUnitOrder = 0x0417,          // groups of a table
  kUnlabelledBins = 0xb1,       // bins without labels that are kept
  kThinnedBins = 0x741,         // bins that --max-bins keeps
  kHalfOfReads = 0x4a1f,        // reads that one half of a track counts; of no seed
  kBackgroundRegions = 0xbac6,  // background regions of a dataset of profiles
  // training
  kFinetuneOrder = 0xf7,            // rows of an epoch of fine-tuning
  kFinetuneStrand = 0xc0,           // the strand that a row is read on
  kNetworkOrder = 0x3a,             // windows or sequences of an epoch of a network
  kNetworkStrand = 0x6c,            // their strand and shift
  kWindowStart = 0x5b,              // the first bin of an epoch's windows
  kKernelRows = 0x6b65726e,         // rows that a kernel model compares with
  kHeadDropout = 0x68656164,        // of an encoder's head
  kNetworkHeadDropout = 0x4ead,     // of a network's head
  kNetworkLayersDropout = 0xa77,    // of a network's layers of attention
  kCountsFactors = 0x636f756e7473,  // how the factors of counts begin
  kProfileOrder = 0x9f0f,           // regions of an epoch of a profile model
  kProfileBackground = 0x9bac,      // background regions of that epoch
  kProfileShift = 0x95f7,           // how far a region is moved, and its strand
  // evaluation
  kPassages = 0x70617373,           // passages that are scored
  kMaskedTokens = 0x6d61736b,       // tokens that are masked in them
  kShuffledTokens = 0x73687566,     // the visible tokens in random order
  kNgramDocuments = 0x6e6772616d,   // documents that n-grams are counted on
  kCopyDocuments = 0x636f70696573,  // documents that copies are looked for in, and their masks
  kDifferences = 0x64696666,        // bootstrap of bits per base and their differences
  kChanceCalibration = 0xca1,       // labels drawn from probabilities
  kRandomVariants = 0x6e756c6c,     // variants of a background
  kShuffledVariants = 0x6e753466,   // the sequence around them, shuffled
  kShuffledProfiles = 0x9b0f,       // bases of observed profiles in random order
};

}  // namespace bigdna
