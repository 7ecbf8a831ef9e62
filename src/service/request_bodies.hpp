#pragma once
// The request bodies of the service: one list of fields for each.

#include "journal/command_text.hpp"
#include "studies/operations.hpp"
#include "studies/request_reader.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace canopy::service {

/// A request body: its name in the OpenAPI document and its fields. Exactly one of the fields in
/// `exactly_one` is required; if the field `unless` is given, all of them may be left out.
struct RequestBody {
  std::string_view name = {};
  std::string_view description = {};
  std::span<const RequestField> fields = {};
  std::span<const std::string_view> exactly_one = {};
  std::string_view unless = {};
};

namespace request {

using namespace canopy::request;
using Kind = RequestField::Kind;

inline constexpr std::uint64_t kLongestList = 10'000;

/// A required list of objects with that schema.
constexpr RequestField list_of(std::string_view name, std::string_view schema) {
  return {.name = name,
          .kind = Kind::objects,
          .required = true,
          .least = 1,
          .most = kLongestList,
          .schema = schema};
}

// --- studies ---------------------------------------------------------------------------------

inline constexpr RequestField kName{
    .name = "name", .kind = Kind::object, .required = true, .schema = "StudyName"};
inline constexpr RequestField kSpecification{
    .name = "specification", .kind = Kind::object, .schema = "Specification"};
inline constexpr RequestField kToml{.name = "toml", .help = "a study file"};
inline constexpr RequestField kForkOf{
    .name = "fork_of",
    .help =
        "a study that this one continues: with its whole journal if nothing that learning "
        "depends on differs, otherwise with its rewards only"};
inline constexpr RequestField kWhole{
    .name = "whole",
    .help = "true: import a whole study; the name must be free, and the fields below are stored",
    .kind = Kind::flag};
inline constexpr RequestField kCreated{
    .name = "created", .help = "seconds since 1970, if not now", .kind = Kind::number};
inline constexpr RequestField kForkedFrom{.name = "forked_from",
                                          .help = "the name of the study that it was forked from"};
inline constexpr RequestField kCopiedFrom{
    .name = "copied_from", .help = "the study that the first part of the journal was copied from"};
inline constexpr RequestField kJournal{.name = "journal",
                                       .help = "the journal, numbered 1, 2, 3, ...",
                                       .kind = Kind::objects,
                                       .schema = "Entry"};
inline constexpr RequestField kPullsInJournal{
    .name = "pulls", .help = "rewards learnt in the journal", .kind = Kind::whole};
inline constexpr std::array kOfWholeStudy{kCreated, kForkedFrom, kCopiedFrom, kJournal,
                                          kPullsInJournal};
inline constexpr std::array kNewStudy{kName,    kSpecification, kToml,       kForkOf,
                                      kWhole,   kCreated,       kForkedFrom, kCopiedFrom,
                                      kJournal, kPullsInJournal};
inline constexpr std::array<std::string_view, 2> kEitherForm{"specification", "toml"};
inline constexpr RequestField kDraftSpecification{
    .name = "specification",
    .help = "the study file as JSON; the answer lists its mistakes",
    .kind = Kind::object};
inline constexpr RequestField kDraftName{
    .name = "name", .help = "name of the study; default: the one in the study file, if it has one"};
inline constexpr RequestField kDraftOrigin{
    .name = "fork_of", .help = "the study to fork", .least = 1};
inline constexpr std::array kDraft{kToml, kDraftSpecification, kDraftName, kDraftOrigin};
inline constexpr RequestField kTunerIfAny{
    .name = "tuner", .help = "the identity of the tuner that runs the study, if there is one"};
inline constexpr std::array kSpecificationChange{kSpecification.needed(), kTunerIfAny};

// --- workers ---------------------------------------------------------------------------------

inline constexpr RequestField kLeaseSeconds{
    .name = "lease_seconds",
    .help =
        "the ticket is dropped if it is not answered within this time; default: never. "
        "Telling some of its rewards renews the lease",
    .kind = Kind::number,
    .most = 2'592'000};  // 30 days
inline constexpr std::array kAsk{kPulls, kCount, kContext, kLeaseSeconds};
inline constexpr RequestField kTells = list_of("tells", "Tell");
inline constexpr RequestField kTickets{
    .name = "tickets", .kind = Kind::tickets, .required = true, .least = 1, .most = kLongestList};
inline constexpr RequestField kObservations = list_of("observations", "Observation");
inline constexpr RequestField kBars = list_of("bars", "Bar");

// --- tuners and commands ---------------------------------------------------------------------

inline constexpr RequestField kCommand{.name = "command",
                                       .kind = Kind::word,
                                       .required = true,
                                       .words = EnumNames<RunnerCommand>::names,
                                       .schema = "CommandName"};
inline constexpr RequestField kPullsOfComparison{
    .name = "pulls",
    .help = "maximum pulls of a comparison; default: `confirm_pulls` of the budget",
    .kind = Kind::whole,
    .least = 1};
inline constexpr std::array kNewCommand{kCommand, kPullsOfComparison};
inline constexpr RequestField kTuner{.name = "tuner",
                                     .help = "a random identity that the tuner has chosen",
                                     .required = true,
                                     .least = 1};
inline constexpr RequestField kHolder{.name = "holder",
                                      .help = "a readable name of the tuner, shown to users"};
inline constexpr std::array kTunerLease{kTuner, kHolder};
inline constexpr RequestField kAfter{
    .name = "after",
    .help = "the number of events in the journal that the tuner has seen",
    .kind = Kind::whole,
    .required = true};
inline constexpr RequestField kEvents = list_of("events", "Event");
inline constexpr std::array kTunerEvents{kTuner, kAfter, kEvents};

}  // namespace request

inline constexpr RequestBody kNewStudyBody{
    "NewStudy",
    "A new study: a name and exactly one of `specification` and `toml`. With `whole`, the "
    "study is stored exactly as given, for imports.",
    request::kNewStudy, request::kEitherForm};
inline constexpr RequestBody kDraftBody{
    "Draft",
    "A study that is being edited: at most one of `toml` and `specification`. With neither, "
    "the study file of an unchanged fork.",
    request::kDraft, request::kEitherForm, "fork_of"};
inline constexpr RequestBody kSpecificationChangeBody{"SpecificationChange", "",
                                                      request::kSpecificationChange};
inline constexpr RequestBody kAskBody{
    "Ask", "How many tickets to return, and their size. The body is optional.", request::kAsk};
inline constexpr RequestBody kTellsBody{"Tells", "", {&request::kTells, 1}};
inline constexpr RequestBody kDropsBody{"Drops", "", {&request::kTickets, 1}};
inline constexpr RequestBody kObservationsBody{"Observations", "", {&request::kObservations, 1}};
inline constexpr RequestBody kBarsBody{"Bars", "", {&request::kBars, 1}};
inline constexpr RequestBody kNewCommandBody{"NewCommand", "", request::kNewCommand};
inline constexpr RequestBody kTunerLeaseBody{"TunerLease", "", request::kTunerLease};
inline constexpr RequestBody kTunerEventsBody{"TunerEvents", "", request::kTunerEvents};

}  // namespace canopy::service
