/// The instruction sets this library is compiled for (Google Highway): AVX-512, AVX2, on ARM NEON, and a
/// portable one. Include before any of Highway's headers.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
