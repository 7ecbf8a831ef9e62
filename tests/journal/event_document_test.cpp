#include "journal/event_document.hpp"

#include "files/json.hpp"
#include "support/random_event.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace canopy {
namespace {

const Space& tuned_space() {
  static const Space space{
      {"x", Real{}}, {"size", Integer{1, 64}}, {"mode", Choice{{"slow", "fast"}}}};
  return space;
}

Document json_of(const std::string& text) {
  return parse_json(text, "test");
}

std::string written_event(const Event& event) {
  return json_text(event_document(tuned_space(), event));
}

Event read_back(const std::string& text) {
  return event_from(json_of(text), tuned_space(), "test");
}

/// All complaints about an event that is the fourth of a list.
std::vector<std::string> wrong_in(const Document& document) {
  DocumentReader reader("test");
  const auto event = event_from(document, tuned_space(), reader, "events[3].");
  EXPECT_EQ(event.has_value(), reader.mistakes().empty());
  std::vector<std::string> texts;
  for (const Violation& mistake : reader.mistakes()) texts.push_back(mistake.text());
  return texts;
}

std::vector<std::string> wrong_with(const std::string& text) {
  return wrong_in(json_of(text));
}

using Texts = std::vector<std::string>;

TEST(EventDocument, HasTheFieldsOfItsKindWithReadableNames) {
  EXPECT_EQ(written_event(Asked{7, 3, 2, {0.5, 8.0, 1.0}}),
            R"({"kind":"ask","ticket":7,"coordinates":[0.5,8.0,1.0],)"
            R"("arm":{"x":0.5,"size":8,"mode":"fast"},"pulls":3,"length":2})");
  EXPECT_EQ(written_event(Asked{7, 3, 2, {}, 60.0}),
            R"({"kind":"ask","ticket":7,"coordinates":[],"pulls":3,"length":2,)"
            R"("lease_seconds":60.0})");
  EXPECT_EQ(written_event(Told{7, Rewards{2, 0.5, 0.02, 0.15, 0.35}}),
            R"({"kind":"tell","ticket":7,"count":2,"sum":0.5,"squared_deviations":0.02,)"
            R"("min":0.15,"max":0.35})");
  EXPECT_EQ(written_event(RangeSet{}), R"({"kind":"range","range":null})");
  EXPECT_EQ(written_event(RangeSet{{{-1.0, 2.0}}}), R"({"kind":"range","range":[-1.0,2.0]})");
  EXPECT_EQ(written_event(MetricsMeasured{7, {{"p99_ms", 31.5}}, {}}),
            R"({"kind":"metrics","ticket":7,"metrics":{"p99_ms":31.5}})");
  EXPECT_EQ(written_event(Failed{7, "it is down", true}),
            R"({"kind":"failure","ticket":7,"what":"it is down","for_good":true})");
  EXPECT_EQ(written_event(CommandAccepted{3, RunnerCommand::confirm, 40, "alice"}),
            R"({"kind":"command","command_number":3,"command":"confirm","pulls":40,"by":"alice"})");
  EXPECT_EQ(json_text(entry_document(tuned_space(), {12, 1.5, Finished{}})),
            R"({"number":12,"at":1.5,"kind":"finish"})");
}

const ContextSpace& observed_contexts() {
  static const ContextSpace contexts(
      {{"load", Real{}}, {"workers", Integer{1, 8}}, {"tenant", Choice{{"a", "b"}}}});
  return contexts;
}

TEST(EventDocument, HasTheContextByTheNamesOfItsVariablesBesideItsCoordinates) {
  const Names names(tuned_space(), observed_contexts());
  const Observed observed{{0.5, 8.0, 1.0}, 2.0, Role::search, {0.25, 3.0, 1.0}};
  const Document document = event_document(names, observed);
  EXPECT_EQ(json_text(document), R"({"kind":"observe","coordinates":[0.5,8.0,1.0],)"
                                 R"("arm":{"x":0.5,"size":8,"mode":"fast"},"reward":2.0,)"
                                 R"("context_coordinates":[0.25,3.0,1.0],)"
                                 R"("context":{"load":0.25,"workers":3,"tenant":"b"}})");
  EXPECT_EQ(event_from(document, names, "test"), Event(observed));
  Document by_name = document;
  by_name.erase("context_coordinates");
  EXPECT_EQ(event_from(by_name, names, "test"), Event(observed));
}

TEST(EventDocument, HasANumberBeyondTheRangeOfAVariableAsItWasObserved) {
  const Names names(tuned_space(), observed_contexts());
  const Observed observed{{0.5, 8.0, 1.0}, 2.0, Role::search, {-7.5, 11.0, 0.0}};
  const Document document = event_document(names, observed);
  EXPECT_EQ(json_text(*document.find("context")), R"({"load":-7.5,"workers":11.0,"tenant":"a"})");
  EXPECT_EQ(event_from(document, names, "test"), Event(observed));
}

TEST(EventDocument, SaysWhatIsWrongWithAContext) {
  const auto complaints = [](const Names& names, const std::string& context) {
    DocumentReader reader("test");
    const Document document = json_of(
        R"({"kind":"observe","coordinates":[0.5,8.0,1.0],"reward":1,"context":)" + context + "}");
    (void)event_from(document, names, reader);
    std::vector<std::string> texts;
    for (const Violation& mistake : reader.mistakes()) texts.push_back(mistake.text());
    return texts;
  };
  const Names names(tuned_space(), observed_contexts());
  EXPECT_EQ(complaints(names, R"({"load":"much","tenant":"c","hour":3})"),
            (std::vector<std::string>{
                "context.load = 'much': must be a finite number", "context.workers: is missing",
                R"(context.tenant = 'c': must be one of "a" "b")",
                "context.hour = 3: unknown key; known: load workers tenant"}));
  EXPECT_EQ(
      complaints(tuned_space(), R"({"load":0.5})"),
      std::vector<std::string>{"context = {...}: is given, but the study has no [[context]]"});
}

TEST(EventDocument, NamesAnArmOnlyWhereItIsInTheSpace) {
  EXPECT_EQ(written_event(Applied{0, {2.0, 8.0, 1.0}}),
            R"({"kind":"apply","ticket":0,"coordinates":[2.0,8.0,1.0]})");
}

RC_GTEST_PROP(EventDocument, EveryEventReadsBackExactly, ()) {
  const Event event = *testing::random_event();
  RC_ASSERT(read_back(written_event(event)) == event);
  const JournalEntry entry{*rc::gen::arbitrary<std::uint64_t>(), *testing::random_finite(), event};
  const std::string text = json_text(entry_document(tuned_space(), entry));
  RC_ASSERT(entry_from(json_of(text), tuned_space(), "test") == entry);
}

RC_GTEST_PROP(EventDocument, EveryArmReadsBackExactlyByItsParametersAlone, ()) {
  std::vector<double> arm(3);
  const auto unit = [] { return *rc::gen::inRange(0, 1'000'000) / 1e6; };
  tuned_space().from_unit_cube(std::vector<double>{unit(), unit(), unit()}, arm);
  Document document = event_document(tuned_space(), Applied{1, arm});
  document.erase("coordinates");
  const Event again = read_back(json_text(document));
  RC_ASSERT(again == Event(Applied{1, arm}));
}

TEST(EventDocument, WholeNumbersBeyondADocumentAreTexts) {
  const Event event = Dropped{UINT64_MAX};
  EXPECT_EQ(written_event(event), R"({"kind":"drop","ticket":"18446744073709551615"})");
  EXPECT_EQ(read_back(written_event(event)), event);
}

TEST(EventDocument, TakesWholeNumbersForNumbers) {
  EXPECT_EQ(read_back(R"({"kind":"tell","ticket":1,"reward":2})"), Event(Told{1, 2.0}));
}

TEST(EventDocument, SaysEverythingThatIsWrongWithAnEventByName) {
  EXPECT_EQ(
      wrong_with(R"({"kind":"tell","ticket":-1,"reward":"high","note":1})"),
      (Texts{
          "events[3].ticket = -1: must be a whole number, 0 or more",
          "events[3].reward = 'high': must be a finite number",
          "events[3].note = 1: unknown key; known: ticket reward passed_over is_baseline kind"}));
  EXPECT_EQ(wrong_with(R"({"kind":"tell"})"),
            (Texts{"events[3].ticket: is missing",
                   "events[3].reward: is missing: give reward, rewards, or count and the other "
                   "sums"}));
  EXPECT_EQ(wrong_with(R"([1])"), Texts{"events[3] = [ 1 ]: must be a table"});
  EXPECT_EQ(wrong_with(R"({"ticket":1})"), Texts{"events[3].kind: is missing"});
  EXPECT_EQ(wrong_with(R"({"kind":3})"), Texts{"events[3].kind = 3: must be a string"});
  EXPECT_EQ(wrong_with(R"({"kind":"tel"})"),
            Texts{R"(events[3].kind = 'tel': unknown kind, did you mean "tell"?)"});
  EXPECT_EQ(wrong_with(R"({"kind":"range","range":[2,1]})"),
            Texts{"events[3].range = [ 2, 1 ]: must be null or two finite numbers, the first below "
                  "the second"});
  EXPECT_EQ(wrong_with(R"({"kind":"confirm","pulls":1,"visit":0,"coordinates":[],"seed":7})"),
            Texts{"events[3].visit = 0: must be 1 or more"});
  EXPECT_EQ(
      wrong_with(R"({"kind":"command","command_number":1,"command":"stop","pulls":0,"by":"a"})"),
      Texts{"events[3].command = 'stop': must be \"pause\", \"resume\", \"hold\", \"baseline\", "
            "\"confirm\" or \"end\""});
  EXPECT_EQ(wrong_with(R"({"kind":"metrics","ticket":1,"metrics":{"a":1,"b":null}})"),
            Texts{"events[3].metrics.b = null: must be a finite number"});
  EXPECT_EQ(wrong_with(R"({"kind":"drop","ticket":"18446744073709551616"})"),
            Texts{"events[3].ticket = '18446744073709551616': must be a whole number, 0 or more"});
}

TEST(EventDocument, RefusesNumbersThatAreNotFinite) {
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const Document document = event_document(tuned_space(), Told{1, std::vector{0.5, number}});
    const Texts wrong = wrong_in(document);
    ASSERT_EQ(wrong.size(), 1U);
    EXPECT_EQ(wrong.front().find("events[3].rewards[1] = "), 0U) << wrong.front();
  }
}

TEST(EventDocument, AnArmIsItsCoordinatesOrItsParametersAndTheyAgree) {
  EXPECT_EQ(read_back(R"({"kind":"apply","ticket":1,"arm":{"mode":"fast","x":0.5,"size":8}})"),
            Event(Applied{1, {0.5, 8.0, 1.0}}));
  EXPECT_EQ(wrong_with(R"({"kind":"apply","ticket":1})"),
            Texts{"events[3].coordinates: is missing: give coordinates, arm or both"});
  EXPECT_EQ(
      wrong_with(R"({"kind":"apply","ticket":1,"arm":{"x":2,"mode":"fast","y":1}})"),
      (Texts{"events[3].arm.x = 2: must be a number from 0 to 1", "events[3].arm.size: is missing",
             "events[3].arm.y = 1: unknown key; known: x size mode"}));
  EXPECT_EQ(wrong_with(R"({"kind":"apply","ticket":1,"coordinates":[0.5,8,1],)"
                       R"("arm":{"x":0.5,"size":9,"mode":"fast"}})"),
            Texts{"events[3].arm = {...}: contradicts the coordinates"});
}

TEST(EventDocument, AnErrorThatIsThrownNamesItsSource) {
  try {
    (void)entry_from(json_of(R"({"kind":"drop","number":1})"), tuned_space(), "the answer");
    FAIL();
  } catch (const SpecificationError& error) {
    EXPECT_STREQ(error.what(), "the answer: at: is missing; the answer: ticket: is missing");
  }
}

}  // namespace
}  // namespace canopy
