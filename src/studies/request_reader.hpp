#pragma once

#include "canopy/context.hpp"
#include "canopy/event.hpp"
#include "canopy/optimizer.hpp"
#include "canopy/space.hpp"

#include "files/document.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// A key that a table of a request may have. Lists of these say what is read, what is refused, and
/// what the OpenAPI document tells programs.
struct RequestField {
  enum class Kind : std::uint8_t {
    whole,    ///< from `least` to `most`
    number,   ///< above `least` and at most `most`
    reward,   ///< any finite number
    rewards,  ///< in one of three forms: a reward, a list of them, or sums
    text,
    flag,  ///< false unless it is given
    word,  ///< one of `words`
    ticket,
    tickets,
    arm,
    context,
    metrics,  ///< numbers by name
    object,   ///< of a schema of its own
    objects,
  };

  std::string_view name = {};
  std::string_view help = {};
  Kind kind = Kind::text;
  bool required = false;
  std::uint64_t least = 0;  ///< of a number; how long a text or a list is
  std::uint64_t most = INT64_MAX;
  std::uint64_t usual = 0;  ///< of a whole number that is left out; 0: none
  std::span<const std::string_view> words = {};
  std::string_view schema = {};  ///< by its name in the OpenAPI document

  /// The same where it must be there.
  [[nodiscard]] constexpr RequestField needed() const {
    RequestField field = *this;
    field.required = true;
    return field;
  }
};

/// Keys of the requests of workers, in pipes and over HTTP.
namespace request {

inline constexpr RequestField kPulls{
    .name = "pulls",
    .help = "the most in a row; left out: for as long as the algorithm wants to stay",
    .kind = RequestField::Kind::whole,
    .least = 1};
inline constexpr RequestField kCount{.name = "count",
                                     .help = "how many tickets",
                                     .kind = RequestField::Kind::whole,
                                     .least = 1,
                                     .most = 1000,
                                     .usual = 1};
inline constexpr RequestField kTicket{.name = "ticket",
                                      .help = "that ask gave out",
                                      .kind = RequestField::Kind::ticket,
                                      .required = true};
inline constexpr RequestField kReward{.name = "reward",
                                      .help = "of one pull, in the user's units",
                                      .kind = RequestField::Kind::reward};
inline constexpr RequestField kRewards{.name = "rewards",
                                       .help = "of several pulls in a row",
                                       .kind = RequestField::Kind::rewards,
                                       .required = true,
                                       .least = 1};
inline constexpr std::array kSums{RequestField{.name = "count",
                                               .help = "how many rewards",
                                               .kind = RequestField::Kind::whole,
                                               .required = true,
                                               .least = 1},
                                  RequestField{.name = "sum",
                                               .help = "of the rewards",
                                               .kind = RequestField::Kind::reward,
                                               .required = true},
                                  RequestField{.name = "sum_squares",
                                               .help = "of the rewards",
                                               .kind = RequestField::Kind::reward,
                                               .required = true},
                                  RequestField{.name = "min",
                                               .help = "the least of them, if it is known",
                                               .kind = RequestField::Kind::reward},
                                  RequestField{.name = "max",
                                               .help = "the largest of them, if it is known",
                                               .kind = RequestField::Kind::reward}};
inline constexpr RequestField kMetrics{.name = "metrics",
                                       .help = "measured beside the rewards, by name",
                                       .kind = RequestField::Kind::metrics};
inline constexpr RequestField kArm{.name = "arm",
                                   .help = "a value for each parameter",
                                   .kind = RequestField::Kind::arm,
                                   .required = true};
inline constexpr RequestField kContext{
    .name = "context",
    .help = "what is observed: a value for each variable; only where the study has [[context]]",
    .kind = RequestField::Kind::context};
inline constexpr RequestField kRole{
    .name = "role",
    .help =
        "`search`: the algorithm learns from it; `baseline`: it is of "
        "the baseline, which the search is compared with; `warm_up`: "
        "the system had not settled, and nothing learns from it. "
        "Left out: `search`",
    .kind = RequestField::Kind::word,
    .words = EnumNames<Role>::names};

}  // namespace request

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
             std::span<const RequestField> fields);

  // What is not there is none, and a complaint if it must be.

  std::optional<std::uint64_t> whole(const Document& table, const std::string& prefix,
                                     const RequestField& field);
  std::optional<double> number(const Document& table, const std::string& prefix,
                               const RequestField& field);
  std::optional<std::string> text(const Document& table, const std::string& prefix,
                                  const RequestField& field);
  bool flag(const Document& table, const std::string& prefix, const RequestField& field);
  /// The place of a word among those that it may be.
  std::optional<std::size_t> word(const Document& table, const std::string& prefix,
                                  const RequestField& field);
  [[nodiscard]] const Document::List& list(const RequestField& field);
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
  /// A context by the names of its variables. Empty where there are none, and where it is left out,
  /// which is a mistake unless it `may_be_missing`.
  std::vector<double> context(const Document& table, const std::string& prefix,
                              const ContextSpace& contexts, bool may_be_missing = false);
  /// Numbers by name; none given: empty.
  Metrics metrics(const Document& table, const std::string& prefix);
  static constexpr std::size_t kMostMetrics = 50;  // with one reward
  Role role(const Document& table, const std::string& prefix);
  /// Any value.
  [[nodiscard]] const Document* find(const Document& table, const std::string& prefix,
                                     const RequestField& field);

 private:
  template <class Variables, class Coordinate, class MustBe>
  std::optional<std::vector<double>> values(const Document& given, const Variables& variables,
                                            const std::string& field, const char* what,
                                            const char* code, const Coordinate& coordinate_in,
                                            const MustBe& must_be);
  void complain_of(const Document& value, const std::string& prefix, const RequestField& field,
                   std::string message);
  std::optional<AnyRewards> reward_list(const Document& table, const std::string& prefix);
  std::optional<AnyRewards> sums(const Document& table, const std::string& prefix);

  Document document_;
  Tickets tickets_;
  std::string_view known_;
  std::vector<Mistake> mistakes_;
};

}  // namespace canopy
