#include "service/service.hpp"

#include "files/json.hpp"
#include "service/body.hpp"
#include "studies/act_text.hpp"
#include "studies/answers.hpp"
#include "studies/best_answer.hpp"
#include "studies/estimate_picture.hpp"
#include "studies/event_document.hpp"
#include "studies/tuner_state.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace canopy::service {
namespace {

using Done = StudyHost::Done;

constexpr std::uint64_t kMostTickets = 1000;    // of one ask
constexpr std::uint64_t kMostStudies = 1000;    // of one page
constexpr std::uint64_t kMostEvents = 10'000;   // of one page
constexpr std::uint64_t kMostPoints = 100'000;  // of one picture
constexpr double kLongestLease = 30.0 * 24.0 * 3600.0;

constexpr auto kRead = std::optional(Role::read);
constexpr auto kWork = std::optional(Role::work);
constexpr auto kAdmin = std::optional(Role::admin);

constexpr std::array kRoutes{
    Route{"GET", "/v1/studies", kRead, &Service::list},
    Route{"POST", "/v1/studies", kWork, &Service::create},
    Route{"GET", "/v1/studies/{name}", kRead, &Service::show},
    Route{"DELETE", "/v1/studies/{name}", kAdmin, &Service::erase},
    Route{"PUT", "/v1/studies/{name}/specification", kWork, &Service::set_specification},
    Route{"POST", "/v1/studies/{name}/asks", kWork, &Service::ask},
    Route{"GET", "/v1/studies/{name}/asks", kRead, &Service::in_flight},
    Route{"POST", "/v1/studies/{name}/tells", kWork, &Service::tell},
    Route{"POST", "/v1/studies/{name}/drops", kWork, &Service::drop},
    Route{"POST", "/v1/studies/{name}/observations", kWork, &Service::observe},
    Route{"POST", "/v1/studies/{name}/bars", kWork, &Service::bar},
    Route{"GET", "/v1/studies/{name}/best", kRead, &Service::best},
    Route{"GET", "/v1/studies/{name}/summary", kRead, &Service::summary},
    Route{"GET", "/v1/studies/{name}/tree", kRead, &Service::tree},
    Route{"GET", "/v1/studies/{name}/estimate", kRead, &Service::estimate},
    Route{"GET", "/v1/studies/{name}/events", kRead, &Service::events},
    Route{"GET", "/v1/studies/{name}/stream", kRead, &Service::stream, true},
    Route{"POST", "/v1/studies/{name}/acts", kAdmin, &Service::act},
    Route{"GET", "/v1/studies/{name}/acts", kRead, &Service::acts},
    Route{"PUT", "/v1/studies/{name}/tuner", kWork, &Service::take_tuner},
    Route{"DELETE", "/v1/studies/{name}/tuner", kWork, &Service::release_tuner},
    Route{"POST", "/v1/studies/{name}/tuner-events", kWork, &Service::tuner_events},
    Route{"GET", "/v1/studies/{name}/snapshot", kRead, &Service::snapshot},
    Route{"PUT", "/v1/studies/{name}/snapshot", kWork, &Service::set_snapshot},
    Route{"GET", "/metrics", kRead, &Service::metrics},
    Route{"GET", "/healthz", std::nullopt, &Service::health},
    Route{"GET", "/readyz", std::nullopt, &Service::ready},
    Route{"GET", "/openapi.json", std::nullopt, &Service::openapi},
};

/// Whether a path is one of a pattern, in which `{name}` is anything.
bool fits(std::string_view pattern, const std::vector<std::string>& path) {
  for (const std::string& part : path) {
    if (!pattern.starts_with('/')) return false;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    if (expected != "{name}" && expected != part) return false;
    pattern.remove_prefix(expected.size());
  }
  return pattern.empty();
}

const std::string& study_of(const Request& request) {
  return request.path.at(2);
}

double now_in_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Answer json_answer(const Document& document, unsigned status = 200) {
  return {status, json_text(document)};
}

Answer no_content() {
  return {204, "", ""};
}

void refuse_while_stopped(const TunerState& tuner) {
  const std::optional<Act> order = tuner.order();
  if (!order) return;
  if (*order == Act::end)
    throw Problem(409, "ended", "the study has ended; the act resume reopens it");
  throw Problem(
      409, "paused",
      fmt::format("the study is stopped by the act {}; resume continues it", name_of(*order)))
      .retry_after(10);
}

/// One result among several.
class Results {
 public:
  void add(Document result) { results_.push_back(std::move(result)); }
  void add_error(std::string field, std::string_view code, std::string_view message) {
    results_.emplace_back(
        Document::Table{{"error", Document::Table{{"code", code}, {"message", message}}}});
    mistakes_.push_back({std::move(field), std::string(code), std::string(message)});
  }
  void add(Status status, const std::string& field, Document result) {
    if (status == Status::ok) {
      add(std::move(result));
    } else {
      add_error(field, code_of(status), describe(status));
    }
  }

  /// Throws when nothing at all has succeeded.
  [[nodiscard]] Answer answer(Document document = {}) {
    if (mistakes_.size() == results_.size()) {
      throw Problem(409, std::move(mistakes_));
    }
    document.set("results", std::move(results_));
    return json_answer(document);
  }

 private:
  Document::List results_;
  std::vector<Mistake> mistakes_;
};

std::optional<double> worth_of_failure(const std::optional<double>& given,
                                       const Optimizer& optimizer) {
  return given ? given : optimizer.failure_reward();
}

constexpr std::string_view kNoRewardYet =
    "there is no reward yet to say what a failure is worth: give a reward that is worse than all "
    "others, or drop the ticket";

/// An element of a list of the body, which must be an object.
const Document& table_at(Body& body, const Document::List& list, std::size_t i,
                         const std::string& field) {
  static const Document empty = Document::Table{};
  if (list[i].as_table() != nullptr) return list[i];
  body.complain(field, "wrong_type", "must be an object");
  return empty;
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

Service::Service(std::shared_ptr<Store> store, StudyHost& host, Metrics& metrics, Options options)
    : store_(std::move(store)), host_(host), metrics_(metrics), options_(std::move(options)) {}

// --- who may do what -------------------------------------------------------------------------

std::shared_ptr<Guard> Service::guard() const {
  const std::lock_guard lock(guard_mutex_);
  return options_.guard;
}

void Service::set_guard(std::shared_ptr<Guard> guard) {
  const std::lock_guard lock(guard_mutex_);
  options_.guard = std::move(guard);
}

Service::Admitted Service::admit(const Request& request, std::optional<std::string_view> secret) {
  Admitted admitted;
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (!fits(route.pattern, request.path)) continue;
    if (route.method == request.method) admitted.route = &route;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  const std::shared_ptr<Guard> guard = this->guard();
  const bool anybody = admitted.route != nullptr && !admitted.route->role;
  if (guard && !anybody) {
    // Who may not ask is not told what there is.
    if (!secret) {
      throw Problem(401, "no_token", "this needs a token: Authorization: Bearer TOKEN")
          .with("WWW-Authenticate", "Bearer");
    }
    admitted.token = guard->find(*secret);
    if (!admitted.token) {
      throw Problem(401, "unknown_token", "there is no such token")
          .with("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    }
    const Token& token = *admitted.token;
    admitted.by = token.name;
    if (token.expires && now_in_seconds() >= *token.expires) {
      throw Problem(401, "expired_token", "the token has expired")
          .with("WWW-Authenticate", "Bearer error=\"invalid_token\"");
    }
    if (const auto wait = guard->too_many(token)) {
      throw Problem(
          429, "too_many_requests",
          fmt::format("this token may make {:g} requests a second", *token.requests_per_second))
          .retry_after(static_cast<unsigned>(std::ceil(*wait)));
    }
  }
  if (admitted.route == nullptr) {
    if (allowed.empty()) throw Problem(404, "unknown_path", "there is nothing at this path");
    throw Problem(405, "unknown_method", "this path takes " + allowed).with("Allow", allowed);
  }
  if (admitted.token && admitted.route->role) {
    if (admitted.token->role < *admitted.route->role) {
      throw Problem(403, "forbidden",
                    fmt::format("this needs the role {}; the token has {}",
                                name_of(*admitted.route->role), name_of(admitted.token->role)));
    }
    const bool of_a_study = admitted.route->pattern.find("{name}") != std::string_view::npos;
    if (of_a_study && !admitted.token->covers(study_of(request))) {
      throw Problem(403, "forbidden", "the token is not for this study");
    }
  }
  return admitted;
}

void Service::serve(const Admitted& admitted, Request& request, const Done& done) {
  try {
    request.by = admitted.by;
    request.may_see = admitted.token;
    (this->*admitted.route->serve)(request, done);
  } catch (...) {
    done(current_problem().answer(request.id));
  }
}

// --- studies ---------------------------------------------------------------------------------

Document Service::item(const StudyRecord& record, Store& store) const {
  const std::optional<StudyHost::State> here = host_.state_of(record.name);
  const bool locked = here || store.is_locked(record.id);
  const std::string elsewhere = locked ? "open" : "idle";
  Document table =
      Document::Table{{"name", record.name},       {"state", here ? here->text : elsewhere},
                      {"events", record.events},   {"pulls", record.pulls},
                      {"created", record.created}, {"updated", record.updated}};
  if (!record.forked_from.empty()) table.set("forked_from", record.forked_from);
  const bool has_runner = here && !here->runner.empty();
  const std::string& holder = has_runner ? here->runner : record.holder;
  if (locked && !holder.empty()) table.set("open_by", holder);
  return table;
}

Document Service::full_item(const StudyRecord& record, Store& store) const {
  Document table = item(record, store);
  table.set("id", record.id);
  table.set("specification", parse_json(record.specification, record.name));
  return table;
}

void Service::list(const Request& request, Done done) {
  Query query(request, {"after", "limit"});
  const std::uint64_t limit = query.whole("limit", 100, 1, kMostStudies);
  std::string after = query.text("after");
  query.check();
  host_.run(
      request,
      [this, limit, after, token = request.may_see](Store& store) mutable {
        Document::List studies;
        Document next;
        while (studies.size() < limit) {
          const std::vector<StudyRecord> page = store.list_some(after, limit);
          for (const StudyRecord& record : page) {
            after = record.name;
            if (token && !token->covers(record.name)) continue;
            studies.push_back(item(record, store));
            if (studies.size() == limit) break;
          }
          if (page.size() < limit) break;
        }
        if (studies.size() == limit && !store.list_some(after, 1).empty()) next = after;
        return json_answer(Document::Table{{"studies", std::move(studies)}, {"next", next}});
      },
      std::move(done));
}

void Service::show(const Request& request, Done done) {
  Query(request, {}).check();
  host_.run(
      request,
      [this, name = study_of(request)](Store& store) {
        return json_answer(full_item(record_of(store, name), store));
      },
      std::move(done));
}

namespace {

/// A study to be made, as a request has it.
struct Wanted {
  std::string name;
  std::optional<StudySpecification> specification;
  std::string fork_of;
  bool whole = false;
  std::optional<double> created;
  std::string forked_from, copied_from;
  std::vector<JournalEntry> journal;
  std::uint64_t pulls = 0;
};

Wanted wanted_in(const Request& request) {
  Body body(request);
  const Document& document = body.document();
  body.allow(document, "",
             {"name", "specification", "toml", "fork_of", "whole", "created", "forked_from",
              "copied_from", "journal", "pulls"});
  Wanted wanted;
  wanted.name = body.text(document, "", "name").value_or("");
  if (!document.contains("name")) body.complain("name", "missing_key", "is missing");
  wanted.fork_of = body.text(document, "", "fork_of").value_or("");
  wanted.whole = body.flag(document, "", "whole");
  wanted.created = body.number(document, "", "created", "wrong_type");
  wanted.forked_from = body.text(document, "", "forked_from").value_or("");
  wanted.copied_from = body.text(document, "", "copied_from").value_or("");
  wanted.pulls = body.whole(document, "", "pulls", 0, INT64_MAX).value_or(0);
  if (document.contains("journal") && document.find("journal")->as_list() == nullptr) {
    body.complain("journal", "wrong_type", "must be a list of entries");
  }
  for (const char* key : {"created", "forked_from", "copied_from", "journal", "pulls"}) {
    if (document.contains(key) && !wanted.whole) {
      body.complain(key, "malformed_request", "is for a study that is given whole");
    }
  }
  const auto toml = body.text(document, "", "toml");
  const Document* given = document.find("specification");
  if (toml.has_value() == (given != nullptr)) {
    body.complain("specification", "missing_key", "expected one of: specification; toml");
  }
  try {
    if (toml) wanted.specification = parse_study(*toml, "toml");
    if (given != nullptr) {
      wanted.specification = parse_study_json(json_text(*given), "specification");
    }
  } catch (const SpecificationError& error) {
    body.complain(toml ? "toml" : "specification", "bad_specification", error.what());
  }
  body.check();
  if (const Document* journal = document.find("journal")) {
    DocumentReader reader("journal");
    std::size_t i = 0;
    for (const Document& each : *journal->as_list()) {
      if (auto entry = entry_from(each, wanted.specification->space, reader,
                                  fmt::format("journal[{}].", i++))) {
        wanted.journal.push_back(std::move(*entry));
      }
    }
    reader.throw_if_any();
    for (i = 0; i < wanted.journal.size(); ++i) {
      if (wanted.journal[i].number == i + 1) continue;
      throw Problem({{fmt::format("journal[{}].number", i), "wrong_type", "must be 1, 2, 3, ..."}});
    }
  }
  return wanted;
}

StudyRecord make_study(Store& store, const Wanted& wanted) {
  check_study_name(wanted.name);
  if (!wanted.fork_of.empty()) {
    (void)Study::open(store, *wanted.specification, {wanted.fork_of, wanted.name});
    return record_of(store, wanted.name);
  }
  const StudySpecification specification = resolved(*wanted.specification);
  (void)make_optimizer(specification);
  NewStudy study{.name = wanted.name,
                 .specification = json_of(specification),
                 .created = wanted.created.value_or(now_in_seconds()),
                 .forked_from = wanted.forked_from};
  if (!wanted.copied_from.empty()) study.copied = record_of(store, wanted.copied_from).id;
  study.journal = wanted.journal;
  study.pulls = wanted.pulls;
  if (const auto made = store.create(study)) return *made;
  throw StudyError(StudyError::Fault::taken, "there already is a study " + wanted.name);
}

}  // namespace

void Service::create(const Request& request, Done done) {
  auto wanted = std::make_shared<Wanted>(wanted_in(request));
  if (request.may_see) {
    for (const std::string& name : {wanted->name, wanted->fork_of, wanted->copied_from}) {
      if (name.empty() || request.may_see->covers(name)) continue;
      throw Problem(403, "forbidden", "the token is not for the study " + name);
    }
  }
  host_.run(
      request,
      [this, wanted](Store& store) {
        const auto existing = store.find(wanted->name);
        if (existing && !wanted->whole && wanted->fork_of.empty()) {
          const StudySpecification before = specification_of(*existing);
          StudySpecification now = *wanted->specification;
          if (now.optimizer == Selection{}) now.optimizer = before.optimizer;
          const std::string differences = learning_differences(before, resolved(now));
          if (differences.empty()) return json_answer(full_item(*existing, store));
          throw StudyError(StudyError::Fault::differs,
                           fmt::format("the study {} was begun with other settings: {}",
                                       wanted->name, differences));
        }
        return json_answer(full_item(make_study(store, *wanted), store), 201);
      },
      std::move(done));
}

void Service::erase(const Request& request, Done done) {
  Query query(request, {"tuner"});
  query.check();
  host_.run_alone(
      study_of(request), request, query.text("tuner"),
      [name = study_of(request)](Store& store) {
        store.erase(record_of(store, name).id);
        return no_content();
      },
      std::move(done));
}

void Service::set_specification(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {"specification", "tuner"});
  const auto tuner = body->text(body->document(), "", "tuner");
  const Document* given = body->document().find("specification");
  if (given == nullptr) body->complain("specification", "missing_key", "is missing");
  body->check();
  const StudySpecification specification = parse_study_json(json_text(*given), "specification");
  host_.reopen(study_of(request), request, specification, tuner.value_or(""), std::move(done));
}

// --- asking and telling ----------------------------------------------------------------------

void Service::ask(const Request& request, Done done) {
  Body body(request);
  const Document& document = body.document();
  body.allow(document, "", {"pulls", "count", "lease_seconds"});
  const std::uint64_t pulls = body.whole(document, "", "pulls", 1, INT64_MAX).value_or(UINT64_MAX);
  const std::uint64_t count = body.whole(document, "", "count", 1, kMostTickets).value_or(1);
  const double lease = body.number(document, "", "lease_seconds", "wrong_type").value_or(0.0);
  if (document.contains("lease_seconds") && !(lease > 0.0 && lease <= kLongestLease)) {
    body.complain("lease_seconds", "wrong_type",
                  fmt::format("must be above 0 and at most {}", kLongestLease));
  }
  body.check();
  host_.write(
      study_of(request), request,
      [=](Study& study, Runner& runner) {
        refuse_beside(runner);
        refuse_while_stopped(study.tuner_state());
        const Space& space = study.specification().space;
        Document::List tickets;
        for (std::uint64_t i = 0; i < count; ++i) {
          tickets.push_back(pull_document(space, study, study.ask_on_lease(pulls, lease)));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

void Service::in_flight(const Request& request, Done done) {
  Query(request, {}).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        Document::List tickets;
        for (const Pull& pull : study.optimizer.in_flight()) {
          tickets.push_back(pull_document(study.specification.space, study.optimizer, pull));
        }
        return json_answer(Document::Table{{"tickets", std::move(tickets)}});
      },
      std::move(done));
}

namespace {

struct GivenTell {
  Ticket ticket = 0;
  bool failed = false;
  std::optional<double> worth = {};  // of the failure
  std::optional<GivenRewards> rewards = {};
};

std::vector<GivenTell> tells_in(const Request& request) {
  Body body(request);
  body.allow(body.document(), "", {"tells"});
  const Document::List& list = body.list("tells");
  std::vector<GivenTell> tells;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = fmt::format("tells[{}]", i);
    const Document& table = table_at(body, list, i, field);
    body.allow(
        table, field + ".",
        {"ticket", "reward", "rewards", "count", "sum", "sum_squares", "min", "max", "failed"});
    GivenTell tell;
    tell.ticket = body.required_whole(table, field + ".", "ticket").value_or(0);
    tell.failed = body.flag(table, field + ".", "failed");
    if (tell.failed) {
      body.allow(table, field + ".", {"ticket", "failed", "reward"});
      tell.worth = body.number(table, field + ".", "reward");
    } else {
      body.allow(
          table, field + ".",
          {"ticket", "reward", "rewards", "count", "sum", "sum_squares", "min", "max", "failed"});
      tell.rewards = body.rewards(table, field + ".");
    }
    tells.push_back(std::move(tell));
  }
  body.check();
  return tells;
}

void tell_one(Study& study, const GivenTell& tell, const std::string& field, Results& results) {
  if (tell.failed) {
    const std::optional<double> worth = worth_of_failure(tell.worth, study);
    if (!worth) {
      results.add_error(field, "no_reward_yet", kNoRewardYet);
      return;
    }
    const Status status = study.penalize(tell.ticket, *worth);
    results.add(status, field,
                Document::Table{{"ok", true}, {"t", study.summary().t}, {"reward", *worth}});
    return;
  }
  const Status status = std::visit(
      [&]<class Given>(const Given& given) {
        if constexpr (std::is_same_v<Given, std::vector<double>>) {
          return study.tell(tell.ticket, std::span<const double>(given));
        } else {
          return study.tell(tell.ticket, given);
        }
      },
      *tell.rewards);
  results.add(status, field, Document::Table{{"ok", true}, {"t", study.summary().t}});
}

Rewards sums_of(const GivenRewards& given) {
  return std::visit(
      []<class Given>(const Given& rewards) {
        if constexpr (std::is_same_v<Given, double>) {
          return Rewards::one(rewards);
        } else if constexpr (std::is_same_v<Given, Rewards>) {
          return rewards;
        } else {
          return Rewards::of(rewards);
        }
      },
      given);
}

}  // namespace

void Service::tell(const Request& request, Done done) {
  host_.write(
      study_of(request), request,
      [tells = tells_in(request)](Study& study, Runner& runner) {
        refuse_beside(runner);
        Results results;
        for (std::size_t i = 0; i < tells.size(); ++i) {
          tell_one(study, tells[i], fmt::format("tells[{}]", i), results);
        }
        return results.answer(Document::Table{{"t", study.summary().t}});
      },
      std::move(done));
}

void Service::drop(const Request& request, Done done) {
  Body body(request);
  body.allow(body.document(), "", {"tickets"});
  std::vector<Ticket> tickets;
  for (const Document& each : body.list("tickets")) {
    const auto ticket = each.as_whole();
    if (ticket && *ticket >= 0) {
      tickets.push_back(static_cast<Ticket>(*ticket));
    } else {
      body.complain(fmt::format("tickets[{}]", tickets.size()), "wrong_type",
                    "must be a whole number");
      break;
    }
  }
  body.check();
  host_.write(
      study_of(request), request,
      [tickets](Study& study, Runner& runner) {
        refuse_beside(runner);
        Results results;
        for (std::size_t i = 0; i < tickets.size(); ++i) {
          results.add(study.drop(tickets[i]), fmt::format("tickets[{}]", i),
                      Document::Table{{"ok", true}});
        }
        return results.answer();
      },
      std::move(done));
}

void Service::observe(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {"observations"});
  (void)body->list("observations");
  body->check();
  host_.write(
      study_of(request), request,
      [body](Study& study, Runner& runner) {
        refuse_beside(runner);
        struct Observation {
          std::vector<double> arm;
          Rewards rewards;
        };
        std::vector<Observation> observations;
        const Document::List& list = body->list("observations");
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::string field = fmt::format("observations[{}]", i);
          const Document& table = table_at(*body, list, i, field);
          body->allow(table, field + ".",
                      {"arm", "reward", "rewards", "count", "sum", "sum_squares", "min", "max"});
          const auto arm = body->arm(table, field + ".", study.specification().space);
          const auto rewards = body->rewards(table, field + ".");
          if (arm && rewards) observations.push_back({*arm, sums_of(*rewards)});
        }
        body->check();
        Results results;
        for (std::size_t i = 0; i < observations.size(); ++i) {
          results.add(study.observe(observations[i].arm, observations[i].rewards),
                      fmt::format("observations[{}]", i), Document::Table{{"ok", true}});
        }
        return results.answer();
      },
      std::move(done));
}

void Service::bar(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  body->allow(body->document(), "", {"bars"});
  (void)body->list("bars");
  body->check();
  host_.write(
      study_of(request), request,
      [body](Study& study, Runner& runner) {
        refuse_beside(runner);
        std::vector<std::pair<std::vector<double>, std::optional<double>>> bars;
        const Document::List& list = body->list("bars");
        for (std::size_t i = 0; i < list.size(); ++i) {
          const std::string field = fmt::format("bars[{}]", i);
          const Document& table = table_at(*body, list, i, field);
          body->allow(table, field + ".", {"arm", "reward"});
          const auto arm = body->arm(table, field + ".", study.specification().space);
          const auto reward = body->number(table, field + ".", "reward");
          if (arm) bars.emplace_back(*arm, reward);
        }
        body->check();
        Results results;
        for (std::size_t i = 0; i < bars.size(); ++i) {
          const std::string field = fmt::format("bars[{}]", i);
          const std::optional<double> worth = worth_of_failure(bars[i].second, study);
          if (!worth) {
            results.add_error(field, "no_reward_yet", kNoRewardYet);
            continue;
          }
          results.add(study.bar(bars[i].first, *worth), field,
                      Document::Table{{"ok", true}, {"reward", *worth}});
        }
        return results.answer();
      },
      std::move(done));
}

// --- looking ---------------------------------------------------------------------------------

void Service::best(const Request& request, Done done) {
  Query(request, {}).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        const auto best = study.optimizer.best();
        if (!best) {
          throw Problem(409, "no_answers",
                        "no arm has a reward yet, but for those that are barred: there is no best "
                        "arm");
        }
        Document document = best_answer(study.optimizer, *best, study.specification, study.tuner);
        if (!study.warning.empty()) document.set("warning", study.warning);
        return json_answer(document);
      },
      std::move(done));
}

void Service::summary(const Request& request, Done done) {
  Query(request, {}).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        Document document = summary_document(study.optimizer.summary());
        const auto range = study.optimizer.reward_range();
        document.set("reward_range",
                     range ? Document(Document::List{range->front(), range->back()}) : "auto");
        if (const auto worth = study.optimizer.failure_reward()) {
          document.set("failure_reward", *worth);
        }
        const TunerState& tuner = study.tuner;
        document.set("order", tuner.order() ? Document(name_of(*tuner.order())) : Document());
        document.set("failures", tuner.failures());
        document.set("changes", tuner.changes());
        if (tuner.setting().size() == study.specification.space.dimension()) {
          document.set("setting", arm_document(study.specification.space, tuner.setting()));
        }
        if (const auto learnt = study.optimizer.learnt()) {
          document.set("learnt", learnt_document(study.specification.space, *learnt));
        }
        if (!study.open_by.empty()) document.set("open_by", study.open_by);
        if (!study.warning.empty()) document.set("warning", study.warning);
        return json_answer(document);
      },
      std::move(done));
}

void Service::tree(const Request& request, Done done) {
  Query(request, {}).check();
  host_.read(
      study_of(request), request,
      [](StudyView& study) {
        return json_answer(
            Document::Table{{"nodes", tree_document(study.specification.space, study.optimizer)}});
      },
      std::move(done));
}

void Service::estimate(const Request& request, Done done) {
  Query query(request, {"points", "x", "y"});
  const std::uint64_t points = query.whole("points", 0, 2, kMostPoints);
  const std::string x = query.text("x");
  const std::string y = query.text("y");
  query.check();
  host_.read(
      study_of(request), request,
      [points, x, y](StudyView& study) {
        const EstimateAxes axes{.x = x, .y = y, .points = points};
        if (const auto wrong = wrong_axis(study.specification.space, axes)) {
          throw Problem({{"?" + wrong->parameter, "unknown_key", wrong->message}});
        }
        return json_answer(estimate_picture(study.specification, study.optimizer, axes));
      },
      std::move(done));
}

void Service::events(const Request& request, Done done) {
  Query query(request, {"after", "limit"});
  const std::uint64_t after = query.whole("after", 0, 0, INT64_MAX);
  const std::uint64_t limit = query.whole("limit", 1000, 1, kMostEvents);
  query.check();
  host_.run(
      request,
      [after, limit, name = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, name);
        const StudySpecification specification = specification_of(record);
        Document::List events;
        std::uint64_t next = after;
        store.read_some(record.id, after, limit, [&](const JournalEntry& entry) {
          events.push_back(entry_document(specification.space, entry));
          next = entry.number;
        });
        return json_answer(Document::Table{
            {"events", std::move(events)}, {"next", next}, {"last", record.events}});
      },
      std::move(done));
}

/// The server sends what follows.
void Service::stream(const Request& request, Done done) {
  Query query(request, {"after"});
  (void)query.whole("after", 0, 0, INT64_MAX);
  query.check();
  host_.run(
      request,
      [name = study_of(request)](Store& store) {
        (void)record_of(store, name);
        return Answer{200, "", "text/event-stream", {{"Cache-Control", "no-store"}}};
      },
      std::move(done));
}

// --- steering --------------------------------------------------------------------------------

void Service::act(const Request& request, Done done) {
  Body body(request);
  const Document& document = body.document();
  body.allow(document, "", {"act", "pulls"});
  const auto name = body.text(document, "", "act");
  const auto act = value_named<Act>(name.value_or(""));
  if (!name && !document.contains("act")) body.complain("act", "missing_key", "is missing");
  if (name && !act) {
    body.complain("act", "wrong_type", must_be_one_of(EnumNames<Act>::names));
  }
  const std::uint64_t pulls = body.whole(document, "", "pulls", 1, INT64_MAX).value_or(0);
  body.check();
  host_.run(
      request,
      [this, act = *act, pulls, by = request.by, study = study_of(request)](Store& store) {
        const StudyRecord record = record_of(store, study);
        const StudySpecification specification = specification_of(record);
        const bool has_baseline = specification.system && specification.system->baseline;
        if (!has_baseline && (act == Act::confirm || act == Act::baseline)) {
          throw Problem(409, "no_baseline", "the study has no baseline");
        }
        const std::string who = by.empty() ? "somebody" : by;
        const std::uint64_t number =
            store.post_act(record.id, now_in_seconds(), act_text({act, who, pulls}));
        host_.tick_soon(study);
        return json_answer(Document::Table{{"number", number}}, 201);
      },
      std::move(done));
}

void Service::acts(const Request& request, Done done) {
  Query query(request, {"after"});
  const std::uint64_t after = query.whole("after", 0, 0, INT64_MAX);
  query.check();
  host_.run(
      request,
      [after, study = study_of(request)](Store& store) {
        Document::List list;
        for (const PostedAct& posted : store.acts(record_of(store, study).id, after)) {
          Document table = Document::Table{{"number", posted.number}, {"at", posted.at}};
          try {
            const WantedAct wanted = act_from(posted.text);
            table.set("act", name_of(wanted.act));
            table.set("by", wanted.by);
            table.set("pulls", wanted.pulls);
          } catch (const SpecificationError&) {
            continue;  // somebody has written nonsense to the store
          }
          list.push_back(std::move(table));
        }
        return json_answer(Document::Table{{"acts", std::move(list)}});
      },
      std::move(done));
}

// --- tuners that run elsewhere ---------------------------------------------------------------

void Service::take_tuner(const Request& request, Done done) {
  Body body(request);
  const Document& document = body.document();
  body.allow(document, "", {"tuner", "holder"});
  const std::string tuner = body.text(document, "", "tuner").value_or("");
  const std::string holder = body.text(document, "", "holder").value_or("a tuner");
  if (tuner.empty()) body.complain("tuner", "missing_key", "is missing");
  body.check();
  host_.write(
      study_of(request), request,
      [tuner, holder](Study& study, Runner& runner) {
        refuse_beside(runner, tuner);
        if (!runner.is_alive() && study.summary().in_flight > 0 &&
            !study.tuner_state().leases().empty()) {
          throw Problem(409, "open_elsewhere", "workers have tickets of this study");
        }
        runner = {tuner, holder, Runner::Clock::now() + Runner::kLease};
        return json_answer(
            Document::Table{{"seconds", Runner::kLease.count()}, {"events", study.events()}});
      },
      std::move(done));
}

void Service::release_tuner(const Request& request, Done done) {
  Query query(request, {"tuner"});
  query.check();
  host_.write(
      study_of(request), request,
      [tuner = query.text("tuner")](Study& /*study*/, Runner& runner) {
        if (runner.id == tuner) runner = {};
        return no_content();
      },
      std::move(done));
}

namespace {

/// Whether the journal goes on with exactly these events.
bool has_after(Study& study, std::uint64_t after, const std::vector<Event>& events) {
  std::size_t same = 0;
  study.store().read_some(study.record().id, after, events.size(), [&](const JournalEntry& entry) {
    if (same < events.size() && entry.event == events[same]) ++same;
  });
  return same == events.size();
}

}  // namespace

void Service::tuner_events(const Request& request, Done done) {
  auto body = std::make_shared<Body>(request);
  const Document& document = body->document();
  body->allow(document, "", {"tuner", "after", "events"});
  const std::string tuner = body->text(document, "", "tuner").value_or("");
  if (tuner.empty()) body->complain("tuner", "missing_key", "is missing");
  const auto after = body->required_whole(document, "", "after");
  (void)body->list("events");
  body->check();
  host_.write_all_or_nothing(
      study_of(request), request,
      [body, tuner, after = *after](Study& study, Runner& runner) {
        refuse_beside(runner, tuner);
        DocumentReader reader("events");
        std::vector<Event> events;
        std::size_t i = 0;
        for (const Document& each : body->list("events")) {
          auto event = event_from(each, study.specification().space, reader,
                                  fmt::format("events[{}].", i++));
          if (event) events.push_back(std::move(*event));
        }
        reader.throw_if_any();
        if (study.events() != after) {
          if (study.events() >= after + events.size() && has_after(study, after, events)) {
            return json_answer(Document::Table{{"events", after + events.size()}});
          }
          throw Problem(409, "moved_on",
                        fmt::format("the journal has {} events, not {}", study.events(), after));
        }
        // After a restart the server does not know of any tuner: the first that writes has it.
        if (!runner.is_alive()) runner = {tuner, "a tuner", {}};
        runner.until = Runner::Clock::now() + Runner::kLease;
        try {
          for (const Event& event : events) study.repeat(event);
        } catch (const StudyError& error) {
          throw Problem(409, "does_not_fit", error.what());
        }
        return json_answer(Document::Table{{"events", study.events()}});
      },
      std::move(done));
}

void Service::snapshot(const Request& request, Done done) {
  Query(request, {}).check();
  host_.run(
      request,
      [study = study_of(request)](Store& store) {
        const auto snapshot = store.snapshot(record_of(store, study).id);
        if (!snapshot) throw Problem(404, "no_snapshot", "the study has no snapshot yet");
        return json_answer(Document::Table{{"events", snapshot->events},
                                           {"optimizer", snapshot->optimizer},
                                           {"tuner", snapshot->tuner}});
      },
      std::move(done));
}

/// The server makes snapshots of its own: it has the same state.
void Service::set_snapshot(const Request& request, Done done) {
  Query(request, {}).check();
  host_.write(
      study_of(request), request,
      [](Study& study, Runner& /*runner*/) {
        study.snapshot();
        return no_content();
      },
      std::move(done));
}

// --- the service itself ----------------------------------------------------------------------

void Service::health(const Request& /*request*/, Done done) {
  const Done answer = std::move(done);
  answer(json_answer(Document::Table{{"status", "ok"}}));
}

void Service::ready(const Request& request, Done done) {
  host_.run(
      request,
      [this](Store& store) {
        if (stopping_) throw Problem(503, "stopping", "the server is stopping").retry_after(5);
        (void)store.list_some("", 1);
        return json_answer(Document::Table{{"status", "ready"}});
      },
      std::move(done));
}

void Service::metrics(const Request& request, Done done) {
  host_.run(
      request,
      [this](Store& /*store*/) {
        metrics_.set_studies(host_.counts());
        return Answer{200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8"};
      },
      std::move(done));
}

void Service::openapi(const Request& /*request*/, Done done) {
  const Done answer = std::move(done);
  answer({200, options_.openapi});
}

}  // namespace canopy::service
