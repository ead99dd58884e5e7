// Ints of any size: as pickles keep them, and as people read them.
#pragma once

#include <string>
#include <string_view>

namespace voxport {

// Little-endian two's complement -> decimal digits.
std::string decimal_of(std::string_view twos_complement);

// Decimal digits, with a minus where they are negative -> little-endian two's complement. Asks for
// digits and nothing else.
std::string twos_complement_of(std::string_view decimal);

}  // namespace voxport
