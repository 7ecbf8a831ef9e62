#pragma once

#include "files/document.hpp"

#include <string>

namespace canopy::service {

/// Lists everything that users select by name, with its options, their defaults and their help:
/// optimizers, environments, kinds of parameters, and the keys of `[system]`, `[budget]` and
/// `[[limit]]`.
[[nodiscard]] Document catalogue_document();

/// Returns the options of a stored study by section (`optimizer`, `system`), each with its value
/// and whether that is the default.
[[nodiscard]] Document options_of(const std::string& specification);

}  // namespace canopy::service
