#pragma once

#include "canopy/http_system.hpp"
#include "canopy/space.hpp"

#include "files/document_reader.hpp"

#include <map>
#include <string>
#include <vector>

namespace canopy {

/// Reads a table that replaces the command `apply`. `names` are the names of all values that
/// placeholders may use, including those of the space.
[[nodiscard]] HttpApply read_http_apply(DocumentReader& reader, const Document& table,
                                        const std::string& prefix, const Space& space,
                                        const std::vector<std::string>& names);

/// Reads a table that replaces the command `measure`, or the `source` of a context. The latter has
/// no `over`, no `metrics` and no placeholders.
[[nodiscard]] PrometheusSource read_prometheus(DocumentReader& reader, const Document& table,
                                               const std::string& prefix,
                                               const std::vector<std::string>& names);
[[nodiscard]] PrometheusSource read_prometheus_context(DocumentReader& reader,
                                                       const Document& table,
                                                       const std::string& prefix);

/// Writes the tables that the functions above read.
[[nodiscard]] Document document_of(const HttpApply& apply);
[[nodiscard]] Document document_of(const PrometheusSource& source);

/// Adds the fields that can change the meaning of a reward, by key; not where secrets and
/// certificates are found.
void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const HttpApply& apply);
void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const PrometheusSource& source);

}  // namespace canopy
