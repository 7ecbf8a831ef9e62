#pragma once

#include "files/document.hpp"

#include <string>

namespace canopy::service {

/// Everything that can be chosen by name, with its options, their defaults and what they mean:
/// optimizers, environments, kinds of parameters, and the keys of `[system]`, `[budget]` and
/// `[[limit]]`.
[[nodiscard]] Document catalogue_document();

/// The options of a stored study by section (`optimizer`, `system`), each with its value and
/// whether leaving it out would change nothing.
[[nodiscard]] Document options_of(const std::string& specification);

}  // namespace canopy::service
