#pragma once

#include "canopy/http_system.hpp"
#include "canopy/space.hpp"

#include "files/document_reader.hpp"

#include <map>
#include <string>
#include <vector>

namespace canopy {

/// Reads a table that takes the place of the command `apply`. `names` are those of all values that
/// may be asked for, those of the space included.
[[nodiscard]] HttpApply read_http_apply(DocumentReader& reader, const Document& table,
                                        const std::string& prefix, const Space& space,
                                        const std::vector<std::string>& names);

/// Reads a table that takes the place of the command `measure`, or of the `source` of a context,
/// which has neither `over` nor `metrics` nor values.
[[nodiscard]] PrometheusSource read_prometheus(DocumentReader& reader, const Document& table,
                                               const std::string& prefix,
                                               const std::vector<std::string>& names);
[[nodiscard]] PrometheusSource read_prometheus_context(DocumentReader& reader,
                                                       const Document& table,
                                                       const std::string& prefix);

/// The tables that these read back.
[[nodiscard]] Document document_of(const HttpApply& apply);
[[nodiscard]] Document document_of(const PrometheusSource& source);

/// What can change the meaning of a reward, key by key: not how secrets and certificates are found.
void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const HttpApply& apply);
void add_differing_fields(std::map<std::string, std::string>& fields, const std::string& prefix,
                          const PrometheusSource& source);

}  // namespace canopy
