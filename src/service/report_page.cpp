#include "service/report_page.hpp"

#include "canopy/study.hpp"

#include "files/json.hpp"
#include "files/page.hpp"
#include "files/percent_encoding.hpp"
#include "service/metrics.hpp"
#include "service/page_files.hpp"
#include "service/service.hpp"
#include "service/study_host.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace canopy::service {
namespace {

constexpr std::size_t kMostKnobsForAllPairs = 6;
constexpr std::size_t kKnobsForPairs = 5;  // if there are more, only the most important ones

/// Requests and stores the answers that the page would request.
class Recorder {
 public:
  Recorder(std::shared_ptr<Store> store, std::string study)
      : study_(std::move(study)),
        host_(store, {.threads = 1}),
        service_(std::move(store), host_, metrics_, {"", nullptr, true}) {}
  ~Recorder() { host_.close(); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Null if the service answers an error, for instance because there is no best arm yet.
  Document record(const std::string& what,
                  const std::vector<std::pair<std::string, std::string>>& query = {}) {
    Request request;
    request.method = "GET";
    request.path = {"v1", "studies", study_};
    if (!what.empty()) request.path.push_back(what);
    std::string target = "/v1/studies/" + percent_encoded(study_);
    if (!what.empty()) target += "/" + what;
    for (const auto& [name, value] : query) {
      target +=
          fmt::format("{}{}={}", request.query.empty() ? '?' : '&', name, percent_encoded(value));
      request.query.emplace(name, value);
    }
    std::promise<Response> promise;
    service_.serve(service_.admit(request, std::nullopt), request,
                   [&](Response answer) { promise.set_value(std::move(answer)); });
    const Response answer = promise.get_future().get();
    if (answer.status == 409) return {};  // there is no best arm yet
    if (answer.status != 200) throw std::runtime_error(target + ": " + answer.body);
    text_ += fmt::format("{}{}:{}", text_.empty() ? '{' : ',', json_text(target), answer.body);
    return parse_json(answer.body, target);
  }

  /// JSON text that is safe inside a script element.
  [[nodiscard]] std::string answers() const {
    std::string safe;
    for (const char letter : text_) {
      if (letter == '<') {
        safe += "\\u003c";
      } else {
        safe += letter;
      }
    }
    return safe + "}";
  }

 private:
  std::string study_;
  Metrics metrics_;
  StudyHost host_;
  Service service_;
  std::string text_;
};

/// The knobs whose pairs are drawn, in the order of the space.
std::vector<std::string> knobs_for_pairs(const Space& space, const Document& knobs) {
  std::vector<std::string> names;
  for (const Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  if (names.size() <= kMostKnobsForAllPairs) return names;
  std::vector<std::string> chosen;
  const Document* ranking = knobs.find("knobs");
  for (const Document& knob : ranking != nullptr ? *ranking->as_list() : Document::List{}) {
    if (chosen.size() < kKnobsForPairs) chosen.push_back(*knob.find("name")->as_text());
  }
  std::erase_if(names, [&](const std::string& name) {
    return std::find(chosen.begin(), chosen.end(), name) == chosen.end();
  });
  return names;
}

/// Replaces the placeholders of the template, in their order, by texts.
std::string filled_in(std::string_view form,
                      const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string page;
  for (const auto& [mark, text] : texts) {
    const std::size_t at = form.find(mark);
    page += std::string(form.substr(0, at)) + text;
    form.remove_prefix(at + mark.size());
  }
  return page + std::string(form);
}

}  // namespace

std::string report_page(std::shared_ptr<Store> store, const std::string& study) {
  const PageFile* form = find_page_file("report.html");
  if (form == nullptr) {
    throw std::runtime_error(
        "this canopy was built without the live page: install Node.js (apt-get install nodejs npm) "
        "and build canopy again");
  }
  const StudySpecification specification = specification_of(record_of(*store, study));
  Recorder recorder(std::move(store), study);
  recorder.record("");
  recorder.record("summary");
  recorder.record("best");
  recorder.record("specification");
  recorder.record("history", {{"by", "pulls"}, {"buckets", "5000"}});
  recorder.record("history", {{"by", "time"}, {"buckets", "5000"}});
  recorder.record("arms", {{"limit", "2000"}});
  recorder.record("tree", {{"limit", "5000"}, {"cells", "true"}});
  recorder.record("events", {{"order", "newest"}, {"limit", "1000"}});
  const Document knobs = recorder.record("knobs");
  for (const Parameter& parameter : specification.space.parameters()) {
    recorder.record("estimate", {{"x", parameter.name}});
  }
  const std::vector<std::string> names = knobs_for_pairs(specification.space, knobs);
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      recorder.record("estimate", {{"x", names[i]}, {"y", names[j]}});
    }
  }

  return filled_in(form->plain, {{"@TITLE@", escaped(study + " – canopy")},
                                 {"@STUDY@", escaped(study)},
                                 {"@ANSWERS@", recorder.answers()}});
}

}  // namespace canopy::service
