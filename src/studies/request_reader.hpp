#pragma once

#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace canopy {

/// One thing that is wrong with a request.
struct Mistake {
  std::string field = {};
  std::string code = {};
  std::string message = {};
  std::string value = {};  ///< what was given instead, cut short; empty: nothing

  /// `must be a number` and, where there is one, the value: `"a": must be a number`.
  [[nodiscard]] std::string text() const;
  /// The same with the field: `reward = "a": must be a number`.
  [[nodiscard]] std::string text_with_field() const;
};

/// A ticket as somebody names it: by its number, and where a server gave it out by the incarnation
/// of the study too, `17-9f3c2a71b0`.
struct NamedTicket {
  Ticket number = 0;
  std::string incarnation = {};

  [[nodiscard]] std::string text() const;
};

/// `must be a whole number from 1 to 1000`.
[[nodiscard]] std::string whole_range_text(std::uint64_t least, std::uint64_t most);

/// Reads the tables of a request, whichever way it came, and collects everything that is wrong with
/// them. What could not be read is none. Fields in mistakes begin with `prefix`.
class RequestReader {
 public:
  enum class Tickets { by_number, by_name };

  /// `known` is a key that every table may have.
  RequestReader(Document document, Tickets tickets, std::string_view known = {})
      : document_(std::move(document)), tickets_(tickets), known_(known) {}

  [[nodiscard]] const Document& document() const { return document_; }
  /// At most kMostMistakes: whoever reads a list stops at the last.
  static constexpr std::size_t kMostMistakes = 20;
  [[nodiscard]] const std::vector<Mistake>& mistakes() const { return mistakes_; }
  [[nodiscard]] bool is_hopeless() const { return mistakes_.size() >= kMostMistakes; }
  void complain(std::string field, std::string code, std::string message, std::string value = {});

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
  /// A list with at least one element and at most kLongestList.
  static constexpr std::size_t kLongestList = 10'000;
  [[nodiscard]] const Document::List& list(std::string_view key);
  /// An element of a list, which must be a table.
  [[nodiscard]] const Document& table_at(const Document::List& list, std::size_t i,
                                         const std::string& field);

  /// The ticket of a table, and one in a list.
  NamedTicket ticket(const Document& table, const std::string& prefix);
  NamedTicket ticket_in(const Document& value, const std::string& field);
  /// A number, several, or sums: exactly one of them.
  std::optional<AnyRewards> rewards(const Document& table, const std::string& prefix);
  /// An arm by the names of its parameters.
  std::optional<std::vector<double>> arm(const Document& table, const std::string& prefix,
                                         const Space& space);
  /// Numbers by name; none given: empty.
  Metrics metrics(const Document& table, const std::string& prefix);
  Role role(const Document& table, const std::string& prefix);

 private:
  std::optional<AnyRewards> reward_list(const Document& table, const std::string& prefix);
  std::optional<AnyRewards> sums(const Document& table, const std::string& prefix);

  Document document_;
  Tickets tickets_;
  std::string_view known_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy
