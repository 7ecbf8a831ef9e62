#pragma once

#include "canopy/store.hpp"

#include "core/text.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// Throws StoreError unless a text can be kept by every store: UTF-8 without a zero byte.
inline void require_text(std::string_view text, const std::string& store) {
  if (is_text(text)) return;
  throw StoreError(StoreError::Fault::other,
                   store + ": a text is not UTF-8 or has a zero byte: nothing was changed");
}

}  // namespace canopy
