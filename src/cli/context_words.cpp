#include "cli/context_words.hpp"

#include "core/excerpt.hpp"
#include "core/text.hpp"
#include "files/parameter_document.hpp"
#include "insight/policy_text.hpp"
#include "studies/answers.hpp"
#include "terminal/failure.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace canopy::cli {

using terminal::WrongUse;

namespace {

/// The index of a variable.
std::size_t place_of(const std::string& name, const ContextSpace& contexts,
                     const std::string& word) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i].name == name) return i;
    names.emplace_back(contexts[i].name);
  }
  throw WrongUse(
      fmt::format("--context {}: {}", excerpt(word), unknown_name("context", name, names)));
}

}  // namespace

void add_context_flag(terminal::ArgumentParser& command, std::vector<std::string>& words) {
  command.options("--context", words,
                  "for a study with contexts: NAME=VALUE, once for each variable");
}

std::vector<double> context_from(const std::vector<std::string>& words,
                                 const ContextSpace& contexts) {
  if (contexts.empty()) throw WrongUse("--context: " + std::string(kNoContexts));
  std::vector<std::optional<double>> given(contexts.size());
  for (const std::string& word : words) {
    const std::size_t end = word.find('=');
    if (end == std::string::npos) {
      throw WrongUse(fmt::format("--context {}: must be NAME=VALUE", excerpt(word)));
    }
    const std::size_t place = place_of(word.substr(0, end), contexts, word);
    if (given[place]) {
      throw WrongUse(fmt::format("--context {}: is given twice", contexts[place].name));
    }
    const std::string text = word.substr(end + 1);
    const Domain& domain = contexts[place].domain;
    const auto number = domain.is_ordered() ? number_in<double>(text) : std::nullopt;
    given[place] = observed_coordinate_of(domain, number ? Document(*number) : Document(text));
    if (!given[place]) {
      throw WrongUse(fmt::format("--context {}: {}", excerpt(word), observed_must_be(domain)));
    }
  }
  std::vector<double> context;
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (!given[i]) {
      throw WrongUse(fmt::format("--context: {} is missing; give {}", contexts[i].name,
                                 context_flags(contexts)));
    }
    context.push_back(*given[i]);
  }
  return context;
}

}  // namespace canopy::cli
