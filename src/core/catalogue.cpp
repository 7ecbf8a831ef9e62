#include "canopy/catalogue.hpp"

#include "core/text.hpp"

namespace canopy::detail {

void refuse_unknown(const std::string& kind, std::string_view name,
                    const std::vector<std::string_view>& known) {
  throw ConfigurationError({{kind, std::string(name), unknown_name(kind, name, known)}});
}

void check_new_name(const std::string& kind, const std::string& name, bool taken) {
  if (name.empty()) throw ConfigurationError({{kind, "\"\"", "must have a name"}});
  if (taken) throw ConfigurationError({{kind, name, "already exists"}});
}

}  // namespace canopy::detail
