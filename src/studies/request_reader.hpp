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

/// A mistake in a request.
struct Mistake {
  std::string field = {};
  std::string code = {};
  std::string message = {};
  std::string value = {};  ///< the given value, shortened; empty: none

  /// The message with the value, if there is one: `"a": must be a number`.
  [[nodiscard]] std::string text() const;
  /// The message with field and value: `reward = "a": must be a number`.
  [[nodiscard]] std::string text_with_field() const;
};

/// A ticket as a client names it: its number; if a server issued it, its number and the incarnation
/// of the study: `17-9f3c2a71b0`.
struct NamedTicket {
  Ticket number = 0;
  std::string incarnation = {};

  [[nodiscard]] std::string text() const;
};

/// Returns a text such as `must be a whole number from 1 to 1000`.
[[nodiscard]] std::string whole_range_text(std::uint64_t least, std::uint64_t most);

/// Describes a key in the table of a request. Reading, validation and the OpenAPI document all use
/// these descriptions.
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
    object,   ///< an object with the given schema
    objects,
  };

  std::string_view name = {};
  std::string_view help = {};
  Kind kind = Kind::text;
  bool required = false;
  std::uint64_t least = 0;  ///< minimum of a number, or of the length of a text or list
  std::uint64_t most = INT64_MAX;
  std::uint64_t usual = 0;  ///< default of a whole number; 0: none
  std::span<const std::string_view> words = {};
  std::string_view schema = {};  ///< its name in the OpenAPI document

  /// The same field, but required.
  [[nodiscard]] constexpr RequestField needed() const {
    RequestField field = *this;
    field.required = true;
    return field;
  }
};

/// The keys of workers' requests, in pipes and over HTTP.
namespace request {

inline constexpr RequestField kPulls{
    .name = "pulls",
    .help = "maximum number of pulls in a row; by default as many as the algorithm chooses",
    .kind = RequestField::Kind::whole,
    .least = 1};
inline constexpr RequestField kCount{.name = "count",
                                     .help = "number of tickets",
                                     .kind = RequestField::Kind::whole,
                                     .least = 1,
                                     .most = 1000,
                                     .usual = 1};
inline constexpr RequestField kTicket{.name = "ticket",
                                      .help = "the ticket that `ask` returned",
                                      .kind = RequestField::Kind::ticket,
                                      .required = true};
inline constexpr RequestField kReward{.name = "reward",
                                      .help = "the reward of one pull, in the user's units",
                                      .kind = RequestField::Kind::reward};
inline constexpr RequestField kRewards{.name = "rewards",
                                       .help = "the rewards of several pulls in a row",
                                       .kind = RequestField::Kind::rewards,
                                       .required = true,
                                       .least = 1};
inline constexpr std::array kSums{
    RequestField{.name = "count",
                 .help = "number of rewards",
                 .kind = RequestField::Kind::whole,
                 .required = true,
                 .least = 1},
    RequestField{.name = "sum",
                 .help = "sum of the rewards",
                 .kind = RequestField::Kind::reward,
                 .required = true},
    RequestField{.name = "sum_squares",
                 .help = "sum of the squared rewards",
                 .kind = RequestField::Kind::reward,
                 .required = true},
    RequestField{
        .name = "min", .help = "the smallest reward, if known", .kind = RequestField::Kind::reward},
    RequestField{
        .name = "max", .help = "the largest reward, if known", .kind = RequestField::Kind::reward}};
inline constexpr RequestField kMetrics{.name = "metrics",
                                       .help = "other numbers measured with the rewards, by name",
                                       .kind = RequestField::Kind::metrics};
inline constexpr RequestField kArm{.name = "arm",
                                   .help = "a value for each parameter",
                                   .kind = RequestField::Kind::arm,
                                   .required = true};
inline constexpr RequestField kContext{
    .name = "context",
    .help = "the observed context: a value for each variable; only if the study has [[context]]",
    .kind = RequestField::Kind::context};
inline constexpr RequestField kRole{
    .name = "role",
    .help =
        "`search`: the algorithm learns from it; `baseline`: it is a measurement of the baseline, "
        "with which the search is compared; `warm_up`: the system had not settled, so nothing is "
        "learnt from it. By default `search`",
    .kind = RequestField::Kind::word,
    .words = EnumNames<Role>::names};

}  // namespace request

/// Reads the tables of a request, from a pipe or over HTTP, and collects all mistakes. A value that
/// cannot be read is returned as none. Fields are named in mistakes with `prefix`.
class RequestReader {
 public:
  enum class Tickets { by_number, by_name };

  /// `known` is a key that is allowed in every table.
  RequestReader(Document document, Tickets tickets, std::string_view known = {})
      : document_(std::move(document)), tickets_(tickets), known_(known) {}

  [[nodiscard]] const Document& document() const { return document_; }
  /// At most this many mistakes are reported.
  static constexpr std::size_t kMostMistakes = 20;
  [[nodiscard]] const std::vector<Mistake>& mistakes() const { return mistakes_; }
  [[nodiscard]] bool is_full() const { return mistakes_.size() >= kMostMistakes; }
  void complain(std::string field, std::string code, std::string message, std::string value = {});

  /// Reports keys that are not in `fields`.
  void allow(const Document& table, const std::string& prefix,
             std::span<const RequestField> fields);

  // A missing value is returned as none, and reported if it is required.

  std::optional<std::uint64_t> whole(const Document& table, const std::string& prefix,
                                     const RequestField& field);
  std::optional<double> number(const Document& table, const std::string& prefix,
                               const RequestField& field);
  std::optional<std::string> text(const Document& table, const std::string& prefix,
                                  const RequestField& field);
  bool flag(const Document& table, const std::string& prefix, const RequestField& field);
  /// The index of a word in the list of allowed words.
  std::optional<std::size_t> word(const Document& table, const std::string& prefix,
                                  const RequestField& field);
  [[nodiscard]] const Document::List& list(const RequestField& field);
  /// An element of a list; reported if it is not a table.
  [[nodiscard]] const Document& table_at(const Document::List& list, std::size_t i,
                                         const std::string& field);

  /// Reads the ticket of a table, or an element of a list of tickets.
  NamedTicket ticket(const Document& table, const std::string& prefix);
  NamedTicket ticket_in(const Document& value, const std::string& field);
  /// Reads rewards in exactly one of the forms: a number, a list, or sums.
  std::optional<AnyRewards> rewards(const Document& table, const std::string& prefix);
  /// Reads an arm by parameter names.
  std::optional<std::vector<double>> arm(const Document& table, const std::string& prefix,
                                         const Space& space);
  /// Reads a context by variable names. Empty if the study has no contexts or the context is
  /// missing, which is reported unless it `may_be_missing`.
  std::vector<double> context(const Document& table, const std::string& prefix,
                              const ContextSpace& contexts, bool may_be_missing = false);
  /// Reads numbers by name; empty if there are none.
  Metrics metrics(const Document& table, const std::string& prefix);
  static constexpr std::size_t kMostMetrics = 50;  // per request element
  Role role(const Document& table, const std::string& prefix);
  /// Returns the value of any kind.
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
