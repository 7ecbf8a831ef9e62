#include "studies/contexts_document.hpp"

#include "canopy/errors.hpp"

#include "core/text.hpp"
#include "files/parameter_document.hpp"
#include "studies/http_document.hpp"
#include "systems/command_line.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy {
namespace {

constexpr std::string_view kClockPrefix = "clock.";

/// A clock, and the context variable that it provides.
struct ClockVariable {
  std::string_view source;
  Domain domain;
  double period;
  std::string_view text;  // for messages
};

const std::vector<ClockVariable>& clocks() {
  static const std::vector<ClockVariable> all{
      {ContextSource::kHour, Real{0.0, 24.0}, 24.0, "a real with period = 24"},
      {ContextSource::kWeekday, Integer{0, 6}, 0.0, "an integer from 0, Monday, to 6"}};
  return all;
}

const ClockVariable* clock_of(const ContextSource& source) {
  const auto found =
      std::find_if(clocks().begin(), clocks().end(),
                   [&](const ClockVariable& clock) { return clock.source == source.source; });
  return found != clocks().end() ? &*found : nullptr;
}

/// Adds the keys that are optional if there is a period.
Document with_implied_ends(Document table) {
  const Document* type = table.find("type");
  const Document* period = table.find("period");
  const bool is_real = type == nullptr || *type == Document(Real::kName);
  const std::optional<double> high = period != nullptr ? period->as_number() : std::nullopt;
  if (!is_real || !high) return table;
  if (!table.contains("low")) table.set("low", 0.0);
  if (!table.contains("high")) table.set("high", *high);
  return table;
}

bool same_value(const Document& left, const Document& right) {
  return left == right || (left.as_number() && left.as_number() == right.as_number());
}

/// Returns the variable that a clock provides. Keys that describe the variable may be given if they
/// agree with it.
ContextVariable variable_of(const ClockVariable& clock, DocumentReader& reader,
                            const Document& table, const std::string& prefix) {
  ContextVariable variable{"", clock.domain, clock.period};
  if (reader.require(table, prefix, "name")) reader.read(table, prefix, "name", variable.name);
  Document implied = parameter_document({"", clock.domain});
  if (clock.period != 0.0) implied.set("period", clock.period);
  for (const auto& [key, value] : *table.as_table()) {
    if (key == "name" || key == "source" || key == "time_zone") continue;
    const Document* own = implied.find(key);
    if (own != nullptr && same_value(*own, value)) continue;
    reader.complain(prefix + key, &value,
                    fmt::format("must be left out or agree with the source: {} is {}", clock.source,
                                clock.text));
  }
  return variable;
}

void check_source(DocumentReader& reader, const Document& table, const std::string& prefix,
                  const ContextSource& source, bool shell) {
  const auto complain = [&](const char* key, std::string what) {
    reader.complain(prefix + key, table.find(key), std::move(what));
  };
  const bool is_clock = clock_of(source) != nullptr;
  if (!source.time_zone.empty() && !is_clock) {
    complain("time_zone", R"(can only be given with source = "clock.hour" or "clock.weekday")");
  }
  if (source.prometheus) return;
  if (table.contains("source") && source.source.empty()) {
    complain("source", "must not be empty; leave it out if clients give the context");
  }
  if (source.source.empty() || is_clock) return;
  if (source.source.starts_with(kClockPrefix)) {
    complain("source", R"(unknown clock: expected "clock.hour" or "clock.weekday")");
    return;
  }
  try {
    const CommandLine command(source.source, shell);
    if (!command.placeholders().empty()) {
      complain("source", "cannot have {placeholders}: it is run before a setting is chosen");
    }
  } catch (const CommandLineError& error) {
    complain("source", error.what());
  }
}

ContextVariable read_variable(DocumentReader& reader, const Document& table, std::size_t index,
                              bool shell, ContextSource& source) {
  const std::string prefix = parameter_prefix(table, index, "context");
  std::vector<std::string_view> keys{"period"};
  visit_fields(source, [&](const Field& field, auto& member) {
    keys.push_back(field.name);
    const Document* value = table.find(field.name);
    if (&member == &source.source && value != nullptr && value->as_table() != nullptr) {
      source.prometheus =
          read_prometheus_context(reader, *value, prefix + std::string(field.name) + ".");
    } else {
      reader.read(table, prefix, field.name, member);
    }
  });
  check_source(reader, table, prefix, source, shell);
  if (const ClockVariable* clock = clock_of(source)) {
    return variable_of(*clock, reader, table, prefix);
  }
  ContextVariable variable;
  reader.read(table, prefix, "period", variable.period);
  if (table.contains("period") && !(variable.period > 0.0)) {
    reader.complain(prefix + "period", table.find("period"), "must be above 0");
  }
  Parameter parameter = read_parameter(reader, with_implied_ends(table), index, "context", keys);
  variable.name = std::move(parameter.name);
  variable.domain = std::move(parameter.domain);
  return variable;
}

}  // namespace

void read_contexts(DocumentReader& reader, const Document& root, StudySpecification& study) {
  const Document* node = root.find("context");
  if (node == nullptr) return;
  const Document::List* tables = node->as_tables();
  if (tables == nullptr) {
    reader.complain("context", node, "must be one or more [[context]] tables");
    return;
  }
  const std::size_t before = reader.complaints();
  std::vector<ContextVariable> variables;
  std::vector<ContextSource> sources;
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const Document& table = (*tables)[i];
    reader.note_line("context", table);
    variables.push_back(read_variable(reader, table, i, study.system && study.system->shell,
                                      sources.emplace_back()));
    const auto& parameters = study.space.parameters();
    if (std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
          return parameter.name == variables.back().name;
        })) {
      reader.complain(parameter_prefix(table, i, "context") + "name", table.find("name"),
                      "is the name of a parameter in [[space]]");
    }
  }
  if (reader.complaints() != before) return;
  try {
    study.contexts = ContextSpace(std::move(variables));
    study.context_sources = std::move(sources);
  } catch (const ConfigurationError& error) {
    reader.complain(error.violations());
  }
}

Document contexts_document(const StudySpecification& study) {
  Document::List tables;
  for (std::size_t i = 0; i < study.contexts.size(); ++i) {
    const auto& [name, domain, period] = study.contexts[i];
    Document table = parameter_document({name, domain});
    if (period != 0.0) table = Document::Table{{"name", name}, {"period", period}};
    if (i < study.context_sources.size()) {
      visit_fields_of(study.context_sources[i], [&](const Field& field, const std::string& text) {
        if (!text.empty()) table.set(field.name, text);
      });
      const auto& prometheus = study.context_sources[i].prometheus;
      if (prometheus) table.set("source", document_of(*prometheus));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace canopy
