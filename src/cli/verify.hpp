#pragma once

#include "cli/named_study.hpp"

namespace canopy::cli {

/// `canopy studies verify`: checks one study, or the whole store and its database.
int verify_studies(const NamedStudyFlags& flags);

}  // namespace canopy::cli
