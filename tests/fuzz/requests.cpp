// Requests of any kind to a service with one study: the first byte chooses the route, a line is the
// query, the rest is the body.

#include "service/metrics.hpp"
#include "service/service.hpp"
#include "service/shared_store.hpp"
#include "service/study_host.hpp"
#include "stores/memory_store.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace canopy;
using namespace canopy::service;

/// A service in memory.
class Victim {
 public:
  Victim() {
    auto studies = std::make_shared<MemoryStudies>();
    store_ =
        std::make_shared<SharedStore>([studies] { return std::make_unique<MemoryStore>(studies); });
    host_ = std::make_unique<StudyHost>(
        store_, StudyHost::Options{.threads = 1},
        StudyHost::Callbacks{.deliver = [](std::vector<StudyHost::Finished> finished) {
          for (auto& each : finished) each.done(std::move(each.answer));
        }});
    service_ = std::make_unique<Service>(store_, *host_, metrics_, Service::Options{"{}"});
    Request request{.method = "POST", .path = {"v1", "studies"}};
    request.body =
        R"({"name":"a","specification":{"space":[{"name":"x","type":"real","low":0,"high":1}]}})";
    if (serve(request).status != 201) std::abort();
  }

  Response serve(Request& request) {
    std::promise<Response> promise;
    try {
      const Service::Admitted admitted = service_->admit(request, std::nullopt);
      service_->serve(admitted, request,
                      [&](Response answer) { promise.set_value(std::move(answer)); });
    } catch (const Problem& problem) {
      return problem.answer("id");
    }
    return promise.get_future().get();
  }

 private:
  Metrics metrics_;
  std::shared_ptr<SharedStore> store_;
  std::unique_ptr<StudyHost> host_;
  std::unique_ptr<Service> service_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto victim = std::make_unique<Victim>();
  static int served = 0;
  if (size < 2) return 0;
  if (++served % 2000 == 0) victim = std::make_unique<Victim>();  // journals would grow
  const Route& route = routes()[data[0] % routes().size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = text.find('\n');
  Request request{.method = std::string(route.method), .path = {}};
  std::string path(route.pattern);
  if (const std::size_t at = path.find("{name}"); at != std::string::npos) path.replace(at, 6, "a");
  request.path = *parts_of_path(path);
  const auto query = parameters_of(text.substr(0, end));
  if (!query) return 0;
  request.query = *query;
  if (end != std::string_view::npos) request.body = text.substr(end + 1);
  if (data[0] % 3 == 0) request.idempotency_key = std::to_string(size % 10);
  const Response answer = victim->serve(request);
  if (answer.status >= 500) {
    (void)std::fprintf(stderr, "%s\n", answer.body.c_str());
    std::abort();
  }
  return 0;
}
