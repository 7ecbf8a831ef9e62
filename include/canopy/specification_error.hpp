#pragma once

#include <stdexcept>

namespace canopy {

/// A specification that cannot be understood. The message is a single line that
/// names the source, the line, the key, its value and what was expected, for every mistake,
/// unless the text is not even valid TOML or JSON.
class SpecificationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace canopy
