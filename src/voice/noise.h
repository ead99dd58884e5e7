// Noise: normal numbers that are the same for the same seed, on every machine and with every
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace voxport {

// `count` numbers of mean 0 and deviation 1. More of them start with the same ones. Each utterance
// of a seed has its own.
std::vector<float> normal_noise(std::uint64_t seed, std::uint64_t utterance, std::size_t count);

}  // namespace voxport
