#pragma once

#include "canopy/store.hpp"

#include "core/text.hpp"

#include <string>
#include <string_view>

namespace canopy {

/// Throws StoreError unless the text can be stored: UTF-8 without zero bytes.
inline void require_text(std::string_view text, const std::string& store) {
  if (is_text(text)) return;
  throw StoreError(StoreError::Fault::other,
                   store + ": text is not UTF-8 or has a zero byte; nothing was changed");
}

}  // namespace canopy
