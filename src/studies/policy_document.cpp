#include "studies/policy_document.hpp"

#include "files/parameter_document.hpp"
#include "files/record.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace canopy {
namespace {

Document range_document(const Domain& domain, const ContextRange& range) {
  if (domain.is_ordered()) {
    return Document::Table{{"from", value_document(domain, range.ends[0])},
                           {"to", value_document(domain, range.ends[1])}};
  }
  Document::List values;
  for (const double value : range.values) values.push_back(value_document(domain, value));
  return values;
}

Document row_document(const Names& names, const PolicyRow& row) {
  Document where = Document::Table{};
  for (std::size_t k = 0; k < row.where.size(); ++k) {
    if (row.where[k].is_everything) continue;
    const ContextVariable& variable = names.contexts[k];
    where.set(variable.name, range_document(variable.domain, row.where[k]));
  }
  Document table = Document::Table{{"where", std::move(where)}};
  visit_fields_of(row, RecordWriter(names, table));
  return table;
}

Document::List effect_documents(const ContextSpace& contexts, std::size_t variable,
                                const ContextEffect& effect) {
  Document::List parts;
  const bool has_none = std::all_of(effect.by_bin.begin(), effect.by_bin.end(),
                                    [](double number) { return number == 0.0; });
  if (has_none) return parts;
  const Domain& domain = contexts[variable].domain;
  for (std::size_t b = 0; b < effect.by_bin.size(); ++b) {
    const auto [from, to] = contexts.ends(variable, b);
    if (from > to) continue;  // no value falls into this interval
    Document part;
    if (domain.count() && from == to) {
      part.set("value", value_document(domain, from));
    } else {
      part.set("from", value_document(domain, from));
      part.set("to", value_document(domain, to));
    }
    part.set("effect", effect.by_bin[b]);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Document policy_document(const Names& names, const Policy& policy) {
  Document::List rows;
  for (const PolicyRow& row : policy.rows) rows.push_back(row_document(names, row));
  Document effects = Document::Table{};
  Document weights = Document::Table{};
  for (std::size_t k = 0; k < names.contexts.size(); ++k) {
    const std::string& name = names.contexts[k].name;
    effects.set(name, effect_documents(names.contexts, k, policy.effects[k]));
    weights.set(name, record_of(names, policy.weights[k]));
  }
  return Document::Table{{"rows", std::move(rows)},
                         {"effects", std::move(effects)},
                         {"weights", std::move(weights)},
                         {"moved", policy.moved}};
}

}  // namespace canopy
