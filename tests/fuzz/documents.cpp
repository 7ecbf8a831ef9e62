// JSON and TOML of any kind, and what is read from them: specifications, events, whole studies.

#include "canopy/specification_error.hpp"
#include "canopy/study_specification.hpp"

#include "files/document_reader.hpp"
#include "files/json.hpp"
#include "files/toml.hpp"
#include "journal/command_text.hpp"
#include "journal/event_document.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace canopy;

const Space kSpace{{"x", Real{0.0, 1.0}}, {"n", Integer{1, 100}}, {"c", Choice{{"a", "b"}}}};

template <class Read>
void attempt(Read&& read) {
  try {
    read();
  } catch (const SpecificationError&) {
    return;
  } catch (const ConfigurationError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const Document document = parse_json(text, "text");
    if (!(parse_json(json_text(document), "again") == document)) std::abort();
  });
  attempt([&] { (void)command_from(text); });
  attempt([&] {
    const Event event = event_from(parse_json(text, "text"), kSpace, "event");
    const Event again =
        event_from(parse_json(json_text(event_document(kSpace, event)), "again"), kSpace, "event");
    if (!(again == event)) std::abort();
  });
  attempt([&] { (void)make_optimizer(resolved(parse_study_json(text, "study"))); });
  attempt([&] { (void)parse_study(text, "study"); });
  return 0;
}
