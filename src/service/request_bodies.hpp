#pragma once
// What requests may say in their bodies, one list of fields for each.

#include "journal/command_text.hpp"
#include "studies/operations.hpp"
#include "studies/request_reader.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace canopy::service {

/// A body: how the OpenAPI document names it, and what it may have. Of the fields `exactly_one`
/// there must be one, neither more nor fewer; if `unless` is not empty, there may also be none of
/// them where that field is.
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

/// A list that must be there, of objects of that schema.
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
        "depends on differs, else with its rewards"};
inline constexpr RequestField kWhole{
    .name = "whole",
    .help = "whether the name must be free and what follows is taken over",
    .kind = Kind::flag};
inline constexpr RequestField kCreated{
    .name = "created", .help = "seconds since 1970, if not now", .kind = Kind::number};
inline constexpr RequestField kForkedFrom{.name = "forked_from",
                                          .help = "to be noted in the study"};
inline constexpr RequestField kCopiedFrom{.name = "copied_from",
                                          .help = "a study whose journal this one begins with"};
inline constexpr RequestField kJournal{.name = "journal",
                                       .help = "its journal, numbered 1, 2, 3, ...",
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
    .help = "the same as JSON; anything that is wrong with it is said in the answer",
    .kind = Kind::object};
inline constexpr RequestField kDraftName{
    .name = "name", .help = "of the study; left out: the one in the study file, if it has one"};
inline constexpr RequestField kDraftOrigin{
    .name = "fork_of", .help = "the study that it is to be a fork of", .least = 1};
inline constexpr std::array kDraft{kToml, kDraftSpecification, kDraftName, kDraftOrigin};
inline constexpr RequestField kTunerIfAny{
    .name = "tuner", .help = "the identity of the tuner that runs the study, if one does"};
inline constexpr std::array kSpecificationChange{kSpecification.needed(), kTunerIfAny};

// --- workers ---------------------------------------------------------------------------------

inline constexpr RequestField kLeaseSeconds{
    .name = "lease_seconds",
    .help =
        "after which a ticket without an answer is dropped; left out: never. Telling some of "
        "its rewards begins it anew",
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
    .help = "of a comparison, at most; left out: as many as are usual",
    .kind = Kind::whole,
    .least = 1};
inline constexpr std::array kNewCommand{kCommand, kPullsOfComparison};
inline constexpr RequestField kTuner{.name = "tuner",
                                     .help = "an identity that the tuner has made up, at random",
                                     .required = true,
                                     .least = 1};
inline constexpr RequestField kHolder{.name = "holder", .help = "for people"};
inline constexpr std::array kTunerLease{kTuner, kHolder};
inline constexpr RequestField kAfter{.name = "after",
                                     .help = "events that the journal has, as the tuner knows it",
                                     .kind = Kind::whole,
                                     .required = true};
inline constexpr RequestField kEvents = list_of("events", "Event");
inline constexpr std::array kTunerEvents{kTuner, kAfter, kEvents};

}  // namespace request

inline constexpr RequestBody kNewStudyBody{
    "NewStudy",
    "A study to be made: a name and exactly one of `specification` and `toml`. With `whole`, "
    "exactly this study, as an import needs it.",
    request::kNewStudy, request::kEitherForm};
inline constexpr RequestBody kDraftBody{
    "Draft",
    "A study that is being written: at most one of `toml` and `specification`. With neither, the "
    "study file that a fork has unless something is changed.",
    request::kDraft, request::kEitherForm, "fork_of"};
inline constexpr RequestBody kSpecificationChangeBody{"SpecificationChange", "",
                                                      request::kSpecificationChange};
inline constexpr RequestBody kAskBody{"Ask", "What is asked for; the body may be left out.",
                                      request::kAsk};
inline constexpr RequestBody kTellsBody{"Tells", "", {&request::kTells, 1}};
inline constexpr RequestBody kDropsBody{"Drops", "", {&request::kTickets, 1}};
inline constexpr RequestBody kObservationsBody{"Observations", "", {&request::kObservations, 1}};
inline constexpr RequestBody kBarsBody{"Bars", "", {&request::kBars, 1}};
inline constexpr RequestBody kNewCommandBody{"NewCommand", "", request::kNewCommand};
inline constexpr RequestBody kTunerLeaseBody{"TunerLease", "", request::kTunerLease};
inline constexpr RequestBody kTunerEventsBody{"TunerEvents", "", request::kTunerEvents};

}  // namespace canopy::service
