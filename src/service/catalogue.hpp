#pragma once

#include "files/document.hpp"

namespace canopy::service {

/// Everything that can be chosen by name, with its options, their defaults and what they mean:
/// optimizers, environments, kinds of parameters, and the keys of `[system]`.
[[nodiscard]] Document catalogue_document();

}  // namespace canopy::service
