#pragma once

#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"
#include "service/message.hpp"
#include "service/problem.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace canopy::service {

/// Rewards as they were given.
using GivenRewards = std::variant<double, std::vector<double>, Rewards>;

/// Reads what a request says and collects everything that is wrong with it, in the codes of
/// `canopy pipe`. What could not be read is none, or as it was.
class Body {
 public:
  /// Throws Problem if it is not a JSON object.
  explicit Body(const Request& request);

  [[nodiscard]] const Document& document() const { return document_; }

  /// Complains about keys that are not known.
  void allow(const Document& table, const std::string& prefix,
             std::initializer_list<std::string_view> keys);

  /// A whole number in [least, most]; none if it is not there. The same of `required` is a
  /// complaint.
  std::optional<std::uint64_t> whole(const Document& table, const std::string& prefix,
                                     std::string_view key, std::uint64_t least, std::uint64_t most);
  std::optional<std::uint64_t> required_whole(const Document& table, const std::string& prefix,
                                              std::string_view key);
  std::optional<double> number(const Document& table, const std::string& prefix,
                               std::string_view key, std::string_view code = "not_a_reward");
  std::optional<std::string> text(const Document& table, const std::string& prefix,
                                  std::string_view key);
  bool flag(const Document& table, const std::string& prefix, std::string_view key);
  /// A list of tables with at least one of them.
  [[nodiscard]] const Document::List& list(std::string_view key);

  /// A number, several, or sums: exactly one of them.
  std::optional<GivenRewards> rewards(const Document& table, const std::string& prefix);
  /// An arm by the names of its parameters.
  std::optional<std::vector<double>> arm(const Document& table, const std::string& prefix,
                                         const Space& space);

  void complain(std::string field, std::string code, std::string message);

  /// Throws Problem with all of it, if anything is wrong.
  void check() const;

 private:
  Document document_;
  std::vector<Mistake> mistakes_;
};

/// The parameters behind the path of a request, those that are known.
class Query {
 public:
  /// Complains about parameters that are not known.
  Query(const Request& request, std::initializer_list<std::string_view> known);

  [[nodiscard]] std::uint64_t whole(const std::string& key, std::uint64_t otherwise,
                                    std::uint64_t least, std::uint64_t most);
  [[nodiscard]] std::optional<double> number(const std::string& key);
  [[nodiscard]] std::string text(const std::string& key) const;
  /// One of these; the first one if nothing is said.
  [[nodiscard]] std::string word(const std::string& key,
                                 std::initializer_list<std::string_view> words);
  /// `true` or `false`.
  [[nodiscard]] bool flag(const std::string& key, bool otherwise);

  void complain(const std::string& key, std::string code, std::string message);

  /// Throws Problem if anything is wrong.
  void check() const;

 private:
  const Request& request_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy::service
