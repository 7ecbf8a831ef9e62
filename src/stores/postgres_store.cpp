#include "stores/postgres_store.hpp"

#include "stores/event_rows.hpp"
#include "stores/postgres_migration.hpp"
#include "stores/postgres_text.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace canopy {
namespace {

using Fault = StoreError::Fault;

constexpr std::chrono::seconds kLongestStatement{60};
constexpr std::chrono::milliseconds kBetweenLooks{20};
constexpr long long kNoFence = -1;  // for a study that this store has not taken

/// Rows of the table `studies`, as SOCI reads many at once.
struct StudyRows {
  std::vector<long long> id, events, pulls;
  std::vector<double> created, updated;
  std::vector<std::string> name, specification, forked_from, holder;

  explicit StudyRows(std::size_t rows)
      : id(rows),
        events(rows),
        pulls(rows),
        created(rows),
        updated(rows),
        name(rows),
        specification(rows),
        forked_from(rows),
        holder(rows) {}

  [[nodiscard]] StudyRecord record(std::size_t i) {
    return {.id = id[i],
            .name = from_postgres(std::move(name[i])),
            .specification = from_postgres(std::move(specification[i])),
            .forked_from = from_postgres(std::move(forked_from[i])),
            .created = created[i],
            .updated = updated[i],
            .events = static_cast<std::uint64_t>(events[i]),
            .pulls = static_cast<std::uint64_t>(pulls[i]),
            .holder = from_postgres(std::move(holder[i]))};
  }
};

/// Those that fulfil a condition on :name, by name, at most so many.
std::vector<StudyRecord> select_studies(soci::session& sql, const std::string& condition,
                                        const std::string& name, std::size_t limit) {
  StudyRows rows(limit);
  const std::string given = to_postgres(name);
  sql << "SELECT id, name, specification, forked_from, created, updated, events, pulls, holder "
         "FROM studies WHERE "
      << condition << " ORDER BY name LIMIT " << limit,
      soci::use(given, "name"), soci::into(rows.id), soci::into(rows.name),
      soci::into(rows.specification), soci::into(rows.forked_from), soci::into(rows.created),
      soci::into(rows.updated), soci::into(rows.events), soci::into(rows.pulls),
      soci::into(rows.holder);
  std::vector<StudyRecord> records;
  const std::size_t got = sql.got_data() ? rows.id.size() : 0;
  for (std::size_t i = 0; i < got; ++i) records.push_back(rows.record(i));
  return records;
}

/// Entries of journals as arrays, one for each column. SOCI would send the rows of a list one by
/// one, and wait for each.
struct EventArrays {
  PostgresArray study, number, at, kind, ticket, value, data;

  void add(StudyId of, const JournalEntry& entry) {
    const EventColumns columns = to_columns(entry.event);
    study.add(static_cast<long long>(of));
    number.add(static_cast<long long>(entry.number));
    at.add(entry.at);
    kind.add(static_cast<long long>(columns.kind));
    ticket.add(static_cast<long long>(columns.ticket));
    value.add(columns.value);
    data.add(columns.data);
  }
};

struct AnswerArrays {
  PostgresArray study, key, request, answer, at;

  void add(StudyId of, const KeptAnswer& kept) {
    study.add(static_cast<long long>(of));
    key.add(kept.key);
    request.add(kept.request);
    answer.add(kept.answer);
    at.add(kept.at);
  }
};

constexpr const char* kInsertEvents = R"(
  INSERT INTO events SELECT * FROM unnest(
    :e_study::bigint[], :e_number::bigint[], :e_at::double precision[], :e_kind::integer[],
    :e_ticket::bigint[], :e_value::double precision[], :e_data::text[]))";

// All that is written for some studies. Their rows are locked in the order of their numbers, so
// that two of us do not wait for each other; whether a fence fits is seen after that. What is not
// kWritten is kGone with its study, or was taken over.
constexpr int kWritten = 0;
constexpr int kGone = 2;
constexpr const char* kWrite = R"(
  WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest(
      :study::bigint[], :fence::bigint[], :last::bigint[], :pulls::bigint[],
      :at::double precision[]) WITH ORDINALITY AS w(study, fence, last, pulls, at, place)),
  held AS MATERIALIZED (
    SELECT s.id FROM studies s JOIN wanted w ON s.id = w.study
    WHERE w.fence < 0 OR w.fence = s.fence ORDER BY s.id FOR NO KEY UPDATE OF s),
  noted AS (
    UPDATE studies s SET events = w.last, pulls = w.pulls, updated = w.at
    FROM wanted w JOIN held ON held.id = w.study WHERE s.id = w.study AND w.last >= 0),
  happened AS (
    INSERT INTO events SELECT e.* FROM unnest(
      :e_study::bigint[], :e_number::bigint[], :e_at::double precision[], :e_kind::integer[],
      :e_ticket::bigint[], :e_value::double precision[], :e_data::text[])
      AS e(study, number, at, kind, ticket, value, data)
    WHERE e.study IN (SELECT id FROM held)),
  answered AS (
    INSERT INTO answers (study, key, request, answer, at) SELECT a.* FROM unnest(
      :a_study::bigint[], :a_key::text[], :a_request::text[], :a_answer::text[],
      :a_at::double precision[]) AS a(study, key, request, answer, at)
    WHERE a.study IN (SELECT id FROM held))
  SELECT w.place, CASE WHEN held.id = w.study THEN 0 WHEN s.id = w.study AND w.fence >= 0 THEN 1
                       ELSE 2 END
  FROM wanted w LEFT JOIN held ON held.id = w.study LEFT JOIN studies s ON s.id = w.study)";

/// Adds entries to the journal of a study.
void insert_journal(soci::session& sql, StudyId study, std::span<const JournalEntry> entries) {
  constexpr std::size_t kAtATime = 10'000;
  for (std::size_t begin = 0; begin < entries.size(); begin += kAtATime) {
    EventArrays events;
    const std::size_t count = std::min(kAtATime, entries.size() - begin);
    for (const JournalEntry& entry : entries.subspan(begin, count)) events.add(study, entry);
    sql << kInsertEvents, soci::use(events.study.text(), "e_study"),
        soci::use(events.number.text(), "e_number"), soci::use(events.at.text(), "e_at"),
        soci::use(events.kind.text(), "e_kind"), soci::use(events.ticket.text(), "e_ticket"),
        soci::use(events.value.text(), "e_value"), soci::use(events.data.text(), "e_data");
  }
}

class PostgresLock final : public StudyLock {
 public:
  PostgresLock(std::shared_ptr<PostgresLease> lease, StudyId study, long long fence)
      : lease_(std::move(lease)), study_(study), fence_(fence) {}
  ~PostgresLock() override { lease_->give_back(study_, fence_); }
  PostgresLock(const PostgresLock&) = delete;
  PostgresLock& operator=(const PostgresLock&) = delete;

 private:
  std::shared_ptr<PostgresLease> lease_;
  StudyId study_;
  long long fence_;
};

}  // namespace

PostgresStore::PostgresStore(const std::string& address, Mode mode)
    : connection_(PostgresAddress(address), kLongestStatement,
                  [this, first = mode](soci::session& sql) mutable {
                    // One that was there and is gone is not made again.
                    prepare_database(sql, name(), std::exchange(first, Mode::open));
                  }),
      lease_(std::make_shared<PostgresLease>(PostgresAddress(address))) {
  connection_.with([](soci::session&) {});
}

std::vector<StudyRecord> PostgresStore::list_some(const std::string& after, std::size_t limit) {
  constexpr std::size_t kAtATime = 1000;
  std::vector<StudyRecord> records;
  for (std::string last = after; records.size() < limit; last = records.back().name) {
    const std::size_t page = std::min(kAtATime, limit - records.size());
    std::vector<StudyRecord> some = connection_.with(
        [&](soci::session& sql) { return select_studies(sql, "name > :name", last, page); });
    const std::size_t got = some.size();
    std::move(some.begin(), some.end(), std::back_inserter(records));
    if (got < page) break;
  }
  return records;
}

std::optional<StudyRecord> PostgresStore::find(const std::string& name) {
  std::vector<StudyRecord> found = connection_.with(
      [&](soci::session& sql) { return select_studies(sql, "name = :name", name, 1); });
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

std::optional<StudyRecord> PostgresStore::create(const NewStudy& study) {
  const std::string name = to_postgres(study.name);
  const std::string specification = to_postgres(study.specification);
  const std::string forked_from = to_postgres(study.forked_from);
  const double updated = study.journal.empty() ? study.created : study.journal.back().at;
  const auto events = static_cast<long long>(study.journal.size());
  const auto pulls = static_cast<long long>(study.pulls);
  const long long copied = study.copied.value_or(0);
  long long id = 0;
  connection_.change([&](soci::session& sql) {
    // In one statement: somebody may be writing to the study that is copied.
    sql << "WITH parent AS (SELECT events, pulls, updated FROM studies WHERE id = :copied UNION "
           "ALL SELECT :events, :pulls, :updated WHERE :copied::bigint = 0), made AS (INSERT INTO "
           "studies "
           "(name, specification, forked_from, created, updated, events, pulls, holder) SELECT "
           ":name, :specification, :forked, :created, updated, events, pulls, '' FROM parent ON "
           "CONFLICT (name) DO NOTHING RETURNING id), journal AS (INSERT INTO events SELECT "
           "made.id, number, at, kind, ticket, value, data FROM events, made WHERE study = "
           ":copied) SELECT COALESCE((SELECT id FROM made), CASE WHEN EXISTS (SELECT 1 FROM "
           "parent) THEN 0 ELSE -1 END)",
        soci::use(copied, "copied"), soci::use(events, "events"), soci::use(pulls, "pulls"),
        soci::use(updated, "updated"), soci::use(name, "name"),
        soci::use(specification, "specification"), soci::use(forked_from, "forked"),
        soci::use(study.created, "created"), soci::into(id);
    if (id < 0) throw gone();
    if (id > 0) insert_journal(sql, id, study.journal);
  });
  return id > 0 ? find(study.name) : std::nullopt;
}

void PostgresStore::erase(StudyId study) {
  connection_.change([&](soci::session& sql) {
    // The study first: whoever writes to it is waited for, and nobody does so afterwards.
    for (const char* row : {"studies WHERE id", "events WHERE study", "snapshots WHERE study",
                            "answers WHERE study", "acts WHERE study"}) {
      sql << "DELETE FROM " << row << " = " << study;
    }
  });
}

bool PostgresStore::exists(StudyId study) {
  int found = 0;
  connection_.with([&](soci::session& sql) {
    sql << "SELECT COUNT(*) FROM studies WHERE id = " << study, soci::into(found);
  });
  return found > 0;
}

StoreError PostgresStore::gone() const {
  return {Fault::other, name() + ": the study is gone: somebody has deleted it"};
}

StoreError PostgresStore::taken_over() const {
  return {Fault::taken_over,
          name() +
              ": somebody else has taken over the study, since nothing was heard of this process "
              "for too long; nothing was written"};
}

long long PostgresStore::fence_of(StudyId study) {
  return lease_->fence(study).value_or(kNoFence);
}

void PostgresStore::refuse(StudyId study) {
  throw fence_of(study) != kNoFence && exists(study) ? taken_over() : gone();
}

void PostgresStore::set_text(const char* column, StudyId study, const std::string& text) {
  const std::string kept = to_postgres(text);
  const long long id = study;
  const long long fence = fence_of(study);
  const bool done = connection_.with([&](soci::session& sql) {
    long long changed = 0;
    sql << "UPDATE studies SET " << column
        << " = :text WHERE id = :id AND (:fence::bigint < 0 OR fence = :fence) RETURNING id",
        soci::use(kept, "text"), soci::use(id, "id"), soci::use(fence, "fence"),
        soci::into(changed);
    return sql.got_data();
  });
  if (!done) refuse(study);
}

void PostgresStore::set_specification(StudyId study, const std::string& specification) {
  set_text("specification", study, specification);
}

void PostgresStore::set_holder(StudyId study, const std::string& holder) {
  set_text("holder", study, holder);
}

/// One statement, one round trip, one commit, however much there is to write.
std::vector<std::optional<StoreError>> PostgresStore::write(std::span<const StudyWrite> writes) {
  if (writes.empty()) return {};
  PostgresArray studies;
  PostgresArray fences;
  PostgresArray lasts;
  PostgresArray learnt;
  PostgresArray times;
  EventArrays events;
  AnswerArrays answers;
  for (const StudyWrite& each : writes) {
    studies.add(static_cast<long long>(each.study));
    fences.add(fence_of(each.study));
    const bool idle = each.entries.empty();
    lasts.add(idle ? -1LL : static_cast<long long>(each.entries.back().number));
    learnt.add(static_cast<long long>(each.pulls));
    times.add(idle ? 0.0 : each.entries.back().at);
    for (const JournalEntry& entry : each.entries) events.add(each.study, entry);
    for (const KeptAnswer& answer : each.answers) answers.add(each.study, answer);
  }
  std::vector<long long> place(writes.size());
  std::vector<int> outcome(writes.size());
  connection_.with([&](soci::session& sql) {
    sql << kWrite, soci::use(studies.text(), "study"), soci::use(fences.text(), "fence"),
        soci::use(lasts.text(), "last"), soci::use(learnt.text(), "pulls"),
        soci::use(times.text(), "at"), soci::use(events.study.text(), "e_study"),
        soci::use(events.number.text(), "e_number"), soci::use(events.at.text(), "e_at"),
        soci::use(events.kind.text(), "e_kind"), soci::use(events.ticket.text(), "e_ticket"),
        soci::use(events.value.text(), "e_value"), soci::use(events.data.text(), "e_data"),
        soci::use(answers.study.text(), "a_study"), soci::use(answers.key.text(), "a_key"),
        soci::use(answers.request.text(), "a_request"),
        soci::use(answers.answer.text(), "a_answer"), soci::use(answers.at.text(), "a_at"),
        soci::into(place), soci::into(outcome);
  });
  std::vector<std::optional<StoreError>> errors(writes.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (outcome[i] == kWritten) continue;
    const auto which = static_cast<std::size_t>(place[i] - 1);
    errors[which] = outcome[i] == kGone ? gone() : taken_over();
  }
  return errors;
}

std::vector<std::optional<KeptAnswer>> PostgresStore::find_answers(
    std::span<const AnswerKey> keys) {
  std::vector<std::optional<KeptAnswer>> found(keys.size());
  if (keys.empty()) return found;
  PostgresArray studies;
  PostgresArray texts;
  for (const AnswerKey& each : keys) {
    studies.add(static_cast<long long>(each.study));
    texts.add(each.key);
  }
  std::vector<long long> place(keys.size());
  std::vector<std::string> request(keys.size());
  std::vector<std::string> answer(keys.size());
  std::vector<double> at(keys.size());
  const bool any = connection_.with([&](soci::session& sql) {
    sql << "SELECT place, request, answer, at FROM unnest(:studies::bigint[], :keys::text[]) WITH "
           "ORDINALITY AS w(study, key, place) JOIN answers USING (study, key)",
        soci::use(studies.text(), "studies"), soci::use(texts.text(), "keys"), soci::into(place),
        soci::into(request), soci::into(answer), soci::into(at);
    return sql.got_data();
  });
  for (std::size_t i = 0; any && i < place.size(); ++i) {
    const auto which = static_cast<std::size_t>(place[i] - 1);
    found[which] = KeptAnswer{.key = keys[which].key,
                              .request = from_postgres(std::move(request[i])),
                              .answer = from_postgres(std::move(answer[i])),
                              .at = at[i]};
  }
  return found;
}

std::uint64_t PostgresStore::forget_answers(double before) {
  // Rows are numbered in the order in which they came: this touches the old ones and no others.
  constexpr int kAtATime = 10'000;
  long long forgotten = 0;
  connection_.with([&](soci::session& sql) {
    sql << "WITH forgotten AS (DELETE FROM answers WHERE id IN (SELECT id FROM (SELECT id, at FROM "
           "answers ORDER BY id LIMIT "
        << kAtATime
        << ") AS oldest WHERE at < :before) RETURNING id) SELECT COUNT(*) FROM forgotten",
        soci::use(before), soci::into(forgotten);
  });
  return static_cast<std::uint64_t>(forgotten);
}

std::uint64_t PostgresStore::post_act(StudyId study, double at, const std::string& text) {
  const std::string kept = to_postgres(text);
  long long number = 0;
  connection_.change([&](soci::session& sql) {
    long long id = 0;
    sql << "SELECT id FROM studies WHERE id = " << study << " FOR NO KEY UPDATE", soci::into(id);
    if (!sql.got_data()) throw gone();
    sql << "INSERT INTO acts (study, number, at, text) SELECT :id, COALESCE(MAX(number), 0) + 1, "
           ":at, :text FROM acts WHERE study = :id RETURNING number",
        soci::use(id, "id"), soci::use(at, "at"), soci::use(kept, "text"), soci::into(number);
  });
  return static_cast<std::uint64_t>(number);
}

std::vector<PostedAct> PostgresStore::acts(StudyId study, std::uint64_t after) {
  constexpr std::size_t kAtATime = 1000;
  const long long id = study;
  std::vector<PostedAct> acts;
  for (auto last = static_cast<long long>(after);;) {
    std::vector<long long> number(kAtATime);
    std::vector<double> at(kAtATime);
    std::vector<std::string> text(kAtATime);
    const bool any = connection_.with([&](soci::session& sql) {
      sql << "SELECT number, at, text FROM acts WHERE study = :id AND number > :after ORDER BY "
             "number LIMIT "
          << kAtATime,
          soci::use(id), soci::use(last), soci::into(number), soci::into(at), soci::into(text);
      return sql.got_data();
    });
    const std::size_t got = any ? number.size() : 0;
    for (std::size_t i = 0; i < got; ++i) {
      last = number[i];
      acts.push_back(
          {static_cast<std::uint64_t>(number[i]), at[i], from_postgres(std::move(text[i]))});
    }
    if (got < kAtATime) return acts;
  }
}

void PostgresStore::read_some(StudyId study, std::uint64_t after, std::uint64_t limit,
                              const std::function<void(const JournalEntry&)>& visit) {
  constexpr std::size_t kAtATime = 10'000;
  const long long id = study;
  auto last = static_cast<long long>(std::min<std::uint64_t>(after, INT64_MAX));
  for (std::uint64_t left = limit; left > 0;) {
    const std::size_t page = std::min<std::uint64_t>(kAtATime, left);
    EventRows rows(page);
    const bool any = connection_.with([&](soci::session& sql) {
      sql << "SELECT number, at, kind, ticket, value, data FROM events WHERE study = :study AND "
             "number > :after ORDER BY number LIMIT "
          << page,
          soci::use(id), soci::use(last), soci::into(rows.number), soci::into(rows.at),
          soci::into(rows.kind), soci::into(rows.ticket), soci::into(rows.value),
          soci::into(rows.data);
      return sql.got_data();
    });
    const std::size_t got = any ? rows.number.size() : 0;
    for (std::size_t i = 0; i < got; ++i) {
      rows.data[i] = from_postgres(std::move(rows.data[i]));
      visit(rows.entry(i));
    }
    if (got < page) return;
    left -= got;
    last = rows.number.back();
  }
}

std::optional<Snapshot> PostgresStore::snapshot(StudyId study) {
  const long long id = study;
  return connection_.with([&](soci::session& sql) -> std::optional<Snapshot> {
    long long events = 0;
    std::string optimizer;
    std::string tuner;
    sql << "SELECT events, optimizer, tuner FROM snapshots WHERE study = :study", soci::use(id),
        soci::into(events), soci::into(optimizer), soci::into(tuner);
    if (!sql.got_data()) return std::nullopt;
    return Snapshot{static_cast<std::uint64_t>(events), from_postgres(std::move(optimizer)),
                    from_postgres(std::move(tuner))};
  });
}

void PostgresStore::set_snapshot(StudyId study, const Snapshot& snapshot) {
  const auto events = static_cast<long long>(snapshot.events);
  const std::string optimizer = to_postgres(snapshot.optimizer);
  const std::string tuner = to_postgres(snapshot.tuner);
  const long long id = study;
  const long long fence = fence_of(study);
  const bool done = connection_.with([&](soci::session& sql) {
    long long written = 0;
    sql << "WITH held AS (SELECT id FROM studies WHERE id = :id AND (:fence::bigint < 0 OR fence = "
           ":fence) "
           "FOR NO KEY UPDATE) INSERT INTO snapshots (study, events, optimizer, tuner) SELECT id, "
           ":events, :optimizer, :tuner FROM held ON CONFLICT (study) DO UPDATE SET events = "
           "EXCLUDED.events, optimizer = EXCLUDED.optimizer, tuner = EXCLUDED.tuner RETURNING "
           "study",
        soci::use(id, "id"), soci::use(fence, "fence"), soci::use(events, "events"),
        soci::use(optimizer, "optimizer"), soci::use(tuner, "tuner"), soci::into(written);
    return sql.got_data();
  });
  if (!done) refuse(study);
}

// --- the right to write
// ---------------------------------------------------------------------------

PostgresStore::Ownership PostgresStore::ownership_of(StudyId study) {
  Ownership seen;
  int alive = 0;
  const bool known = connection_.with([&](soci::session& sql) {
    sql << "SELECT COALESCE(s.owner, 0), s.fence, CASE WHEN o.alive_until > clock_timestamp() THEN "
           "1 ELSE 0 END, COALESCE(EXTRACT(EPOCH FROM o.alive_until), 0)::double precision FROM "
           "studies s LEFT JOIN owners o ON o.id = s.owner WHERE s.id = "
        << study,
        soci::into(seen.owner), soci::into(seen.fence), soci::into(alive), soci::into(seen.until);
    return sql.got_data();
  });
  if (!known) throw gone();
  seen.alive = alive != 0;
  return seen;
}

/// Null when somebody else was quicker.
std::unique_ptr<StudyLock> PostgresStore::take(StudyId study, const Ownership& seen) {
  const long long owner = lease_->owner();
  const long long id = study;
  long long fence = 0;
  const bool taken = connection_.with([&](soci::session& sql) {
    sql << "UPDATE studies SET owner = :owner, fence = fence + 1 WHERE id = :id AND "
           "COALESCE(owner, 0) = :seen AND fence = :fence RETURNING fence",
        soci::use(owner), soci::use(id), soci::use(seen.owner), soci::use(seen.fence),
        soci::into(fence);
    return sql.got_data();
  });
  if (!taken) return nullptr;
  lease_->hold(study, fence);
  return std::make_unique<PostgresLock>(lease_, study, fence);
}

std::unique_ptr<StudyLock> PostgresStore::try_lock(StudyId study,
                                                   std::chrono::milliseconds patience) {
  const auto begin = std::chrono::steady_clock::now();
  const Ownership first = ownership_of(study);
  for (Ownership seen = first;; seen = ownership_of(study)) {
    const bool ours = lease_->fence(study) == seen.fence && seen.owner != 0;
    if (!ours && !seen.alive) {
      if (auto lock = take(study, seen)) return lock;
      continue;
    }
    if (patience == std::chrono::milliseconds::zero()) return nullptr;
    // An owner that lives renews its lease while we wait. One that does not is waited for until
    // its lease is over, however small the patience.
    const auto waited = std::chrono::steady_clock::now() - begin;
    const bool lives = ours || seen != first || waited > PostgresLease::kLength;
    if (lives && waited >= patience) return nullptr;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

bool PostgresStore::is_locked(StudyId study) {
  try {
    const Ownership seen = ownership_of(study);
    return seen.owner != 0 && seen.alive;
  } catch (const StoreError&) {
    return false;
  }
}

}  // namespace canopy
