#include "service/routes.hpp"

#include "service/request_bodies.hpp"
#include "service/service.hpp"

#include <array>

namespace canopy::service {
namespace {

constexpr std::array kListStudiesQuery{
    QueryField{.name = "after",
               .help = "The name before the first one; those that have a larger one are listed.",
               .kind = QueryField::Kind::text},
    QueryField{.name = "limit",
               .help = "How many at most.",
               .kind = QueryField::Kind::whole,
               .least = 1,
               .most = 1000,
               .usual = "100"}};

constexpr std::array kDeleteStudyQuery{QueryField{
    .name = "tuner", .help = "The tuner that has it, if one has.", .kind = QueryField::Kind::text}};

constexpr std::array kBestQuery{QueryField{
    .name = "context",
    .help = "What is observed, as JSON: a value for each variable. Needed where the study "
            "has `[[context]]`, and refused elsewhere.",
    .kind = QueryField::Kind::json,
    .schema = "Context"}};

constexpr std::array kTreeQuery{
    QueryField{
        .name = "most",
        .help =
            "How many nodes at most: those with most pulls below them, each with its parent and "
            "sibling.",
        .kind = QueryField::Kind::whole,
        .least = 1},
    QueryField{.name = "cells",
               .help = "Whether each node is to have its `depth`, `share` and `cell`.",
               .kind = QueryField::Kind::flag,
               .usual = "false"}};

constexpr std::array kArmsQuery{QueryField{.name = "most",
                                           .help = "How many at most.",
                                           .kind = QueryField::Kind::whole,
                                           .least = 1,
                                           .most = 100000,
                                           .usual = "2000"}};

constexpr std::array kEstimateQuery{
    QueryField{.name = "points",
               .help = "Along each axis; 101 by default, 41 of a map, which may have 300 at most.",
               .kind = QueryField::Kind::whole,
               .least = 2,
               .most = 100000},
    QueryField{.name = "x",
               .help = "The parameter to go along; by default the first.",
               .kind = QueryField::Kind::text,
               .example = "ttl"},
    QueryField{.name = "y", .help = "Another one, for a map.", .kind = QueryField::Kind::text}};

constexpr std::array kHistoryQuery{
    QueryField{.name = "by",
               .help =
                   "What `from` and `to` are, and what the buckets are even in: rewards learnt, or "
                   "seconds since 1970.",
               .kind = QueryField::Kind::word,
               .words = "pulls,time",
               .usual = "pulls"},
    QueryField{.name = "from",
               .help = "Where it begins; left out: at the beginning.",
               .kind = QueryField::Kind::number},
    QueryField{.name = "to",
               .help = "Where it ends, not before `from`; left out: at the end.",
               .kind = QueryField::Kind::number},
    QueryField{.name = "buckets",
               .help = "How many at most.",
               .kind = QueryField::Kind::whole,
               .least = 1,
               .most = 5000,
               .usual = "600"}};

constexpr std::array kEventsQuery{
    QueryField{.name = "after",
               .help = "What has a larger number.",
               .kind = QueryField::Kind::whole,
               .usual = "0"},
    QueryField{.name = "limit",
               .help = "How many at most.",
               .kind = QueryField::Kind::whole,
               .least = 1,
               .most = 10000,
               .usual = "1000"},
    QueryField{.name = "order",
               .help = "Which come first.",
               .kind = QueryField::Kind::word,
               .words = "oldest,newest",
               .usual = "oldest"},
    QueryField{.name = "before",
               .help = "With `order=newest`: entries with a smaller number; left out: the newest.",
               .kind = QueryField::Kind::whole,
               .least = 1},
    QueryField{.name = "kinds",
               .help = "Only these kinds, with commas between them; left out: all.",
               .kind = QueryField::Kind::text,
               .example = "failure,command"}};

constexpr std::array kStreamQuery{
    QueryField{.name = "after",
               .help = "Entries with a larger number; without it, those that come from now on.",
               .kind = QueryField::Kind::whole},
    QueryField{
        .name = "journal",
        .help = "Whether events of the journal are sent; otherwise only `summary` and `best` are.",
        .kind = QueryField::Kind::flag,
        .usual = "true"}};

constexpr std::array kListCommandsQuery{QueryField{.name = "after",
                                                   .help = "What has a larger number.",
                                                   .kind = QueryField::Kind::whole,
                                                   .usual = "0"}};

constexpr std::array kReleaseTunerQuery{QueryField{.name = "tuner",
                                                   .help = "The identity that it was taken with.",
                                                   .kind = QueryField::Kind::text}};

constexpr std::array kRoutes{
    Route{.method = "GET",
          .pattern = "/v1/studies",
          .role = Role::read,
          .serve = &Service::list,
          .operation = "listStudies",
          .tag = "studies",
          .summary = "Lists studies.",
          .description =
              "By name, those that the token is for. `next` is the `after` of the next page.",
          .query = kListStudiesQuery,
          .answer_line = "A page of them.",
          .answer = "StudyPage"},
    Route{
        .method = "POST",
        .pattern = "/v1/studies",
        .role = Role::work,
        .serve = &Service::create,
        .operation = "createStudy",
        .tag = "studies",
        .summary = "Makes a study.",
        .description =
            "One that is there already and was begun with the same settings is left as it is "
            "(200). Without an optimizer it has the adaptive tree; one that is there keeps its "
            "own. `fork_of` makes a new one from another. With `whole`, exactly this study is "
            "made, with its journal: for imports. The token must be for all the studies that are "
            "named.\n\nConflicts: `differs`, `taken`, `other_revision`, `open_elsewhere`.",
        .body = &kNewStudyBody,
        .body_examples =
            R"json({"examples": {"toml": {"summary": "From a study file", "value": {"name": "cache", "toml": "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 3600.0\nscale = \"log\"\n"}}, "json": {"summary": "The same as JSON", "value": {"name": "cache", "specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}]}}}, "fork": {"summary": "A fork with another option", "value": {"name": "cache-2", "fork_of": "cache", "specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}], "optimizer": {"settle": 5}}}}}})json",
        .status = 201,
        .answer_line = "It was made.",
        .line_if_there = "It was there.",
        .answer = "Study",
        .may_conflict = true},
    Route{
        .method = "POST",
        .pattern = "/v1/checks",
        .role = Role::work,
        .serve = &Service::check,
        .operation = "check",
        .tag = "studies",
        .summary = "Whether a study could be made of this.",
        .description =
            "For those who are writing a study file, as TOML or as JSON: the answer has both, and "
            "every mistake with its place. Nothing is stored or run.",
        .body = &kDraftBody,
        .body_examples =
            R"json({"example": {"toml": "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 3600.0\nscale = \"log\""}})json",
        .answer_line = "It could, or every mistake.",
        .answer = "Checked"},
    Route{.method = "GET",
          .pattern = "/v1/catalogue",
          .role = Role::read,
          .serve = &Service::catalogue,
          .operation = "catalogue",
          .tag = "studies",
          .summary = "What can be chosen: optimizers, environments, kinds of parameters.",
          .description =
              "With every option, its default and what it means; the keys of `[system]`, "
              "`[budget]` and `[[limit]]`; and what is chosen where a study file does "
              "not say. For those who write study files and programs that help them.",
          .answer_line = "All of it.",
          .answer = "Catalogue"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}",
          .role = Role::read,
          .serve = &Service::show,
          .operation = "getStudy",
          .tag = "studies",
          .summary = "Shows a study.",
          .description = "With its specification, which has a value for every option.",
          .answer_line = "The study.",
          .answer = "Study"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/glance",
          .role = Role::read,
          .serve = &Service::glance,
          .operation = "glance",
          .tag = "looking",
          .summary = "What a list shows of a study.",
          .description =
              "Cheap to ask for again: what follows from the journal is computed when there are "
              "new events.",
          .answer_line = "The glance.",
          .answer = "Glance"},
    Route{.method = "DELETE",
          .pattern = "/v1/studies/{name}",
          .role = Role::admin,
          .serve = &Service::erase,
          .operation = "deleteStudy",
          .tag = "studies",
          .summary = "Deletes a study.",
          .description =
              "With its journal. Nobody may have it open elsewhere (`open_elsewhere`), nor may a "
              "tuner run it but the one that asks.",
          .query = kDeleteStudyQuery,
          .status = 204,
          .answer_line = "Done; there is nothing to say.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/specification",
          .role = Role::read,
          .serve = &Service::specification,
          .operation = "specification",
          .tag = "studies",
          .summary = "What a study is: its study file.",
          .description = "With every option, also those that were not given.",
          .answer_line = "As JSON and as TOML; and which options have their defaults.",
          .answer = "StudyFile"},
    Route{
        .method = "PUT",
        .pattern = "/v1/studies/{name}/specification",
        .role = Role::work,
        .serve = &Service::set_specification,
        .operation = "setSpecification",
        .tag = "studies",
        .summary = "Changes what may change.",
        .description =
            "`system`, `budget`, `limit`, `reward_range` and `confidence`; another range is "
            "noted in the journal. Whatever else learning depends on needs a fork (`differs`). "
            "While a tuner has the study, only that one may (`open_elsewhere`). Also: "
            "`other_revision`.",
        .body = &kSpecificationChangeBody,
        .body_examples =
            R"json({"example": {"specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}], "reward_range": [0, 1]}}})json",
        .status = 204,
        .answer_line = "Done; there is nothing to say.",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "POST",
          .pattern = "/v1/studies/{name}/asks",
          .role = Role::work,
          .serve = &Service::ask,
          .operation = "ask",
          .tag = "working",
          .summary = "Asks what to try next.",
          .description =
              "Each ticket is an arm to play up to `length` times. Asking learns nothing. Ask as "
              "often as you have workers. With `lease_seconds` a ticket that nobody answers in "
              "that time is dropped, so that a worker that died blocks nothing.\n\nConflicts: "
              "`paused`, `ended`, `open_elsewhere`, `other_revision`.",
          .takes_key = true,
          .body = &kAskBody,
          .needs_body = false,
          .body_examples = R"json({"example": {"pulls": 1, "count": 2, "lease_seconds": 60}})json",
          .answer_line = "As many tickets as were asked for.",
          .answer = "Tickets",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/asks",
          .role = Role::read,
          .serve = &Service::in_flight,
          .operation = "listAsks",
          .tag = "working",
          .summary = "Lists the open tickets.",
          .description = "Those that were asked for and are not answered in full, oldest first.",
          .answer_line = "The open tickets.",
          .answer = "OpenTickets"},
    Route{
        .method = "POST",
        .pattern = "/v1/studies/{name}/tells",
        .role = Role::work,
        .serve = &Service::tell,
        .operation = "tell",
        .tag = "working",
        .summary = "Tells results.",
        .description =
            "In the user's units, one or many; what was answered is on the disk. Each is taken "
            "or refused by itself: `results` says so, in the same order. When all are refused, "
            "it is a problem (409; 410 if all of them are `gone`) and nothing has "
            "changed.\n\nConflicts: `unknown_ticket`, `closed_ticket`, `too_many_rewards`, "
            "`not_a_reward`, `impossible_sums`, `no_reward_yet`, `open_elsewhere`, "
            "`other_revision`.",
        .takes_key = true,
        .body = &kTellsBody,
        .body_examples =
            R"json({"examples": {"one": {"summary": "One reward", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "reward": 0.5}]}}, "several": {"summary": "Several rewards", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "rewards": [0.5, 0.7]}]}}, "sums": {"summary": "As sums", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "count": 2, "sum": 1.2, "sum_squares": 0.74}]}}, "failure": {"summary": "A pull that failed", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "failed": true}]}}, "many": {"summary": "Of many tickets", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "reward": 0.5}, {"ticket": "77-9f3c2a71b0", "reward": 1}, {"ticket": "2-9f3c2a71b0", "failed": true}]}}}})json",
        .answer_line = "What became of each.",
        .answer = "Results",
        .may_be_elsewhere = true,
        .may_conflict = true,
        .may_be_gone = true},
    Route{.method = "POST",
          .pattern = "/v1/studies/{name}/drops",
          .role = Role::work,
          .serve = &Service::drop,
          .operation = "drop",
          .tag = "working",
          .summary = "Gives tickets back.",
          .description =
              "Nothing is learnt; the arm is likely to be asked for again.\n\nConflicts: "
              "`unknown_ticket`, `closed_ticket`, `open_elsewhere`, `other_revision`.",
          .takes_key = true,
          .body = &kDropsBody,
          .body_examples = R"json({"example": {"tickets": ["3-9f3c2a71b0"]}})json",
          .answer_line = "What became of each.",
          .answer = "Results",
          .answer_example = R"json({"results": [{"ok": true}]})json",
          .may_be_elsewhere = true,
          .may_conflict = true,
          .may_be_gone = true},
    Route{
        .method = "POST",
        .pattern = "/v1/studies/{name}/observations",
        .role = Role::work,
        .serve = &Service::observe,
        .operation = "observe",
        .tag = "working",
        .summary = "Tells rewards of arms that nobody asked for.",
        .description =
            "History, or somebody else's measurements. They count as pulls of the arm, not as "
            "steps.\n\nConflicts: `not_a_reward`, `impossible_sums`, `not_an_arm`, "
            "`open_elsewhere`, `other_revision`.",
        .takes_key = true,
        .body = &kObservationsBody,
        .body_examples =
            R"json({"example": {"observations": [{"arm": {"ttl": 58.9}, "rewards": [0.8, 0.9]}]}})json",
        .answer_line = "What became of each.",
        .answer = "Results",
        .answer_example = R"json({"results": [{"ok": true}]})json",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "POST",
          .pattern = "/v1/studies/{name}/bars",
          .role = Role::work,
          .serve = &Service::bar,
          .operation = "bar",
          .tag = "working",
          .summary = "Bars arms: they are not played again.",
          .description =
              "`best` never names them again, and the search leaves them. Tickets for them stay "
              "open.\n\nConflicts: `no_reward_yet`, `not_a_reward`, `not_an_arm`, "
              "`open_elsewhere`, `other_revision`.",
          .takes_key = true,
          .body = &kBarsBody,
          .body_examples = R"json({"example": {"bars": [{"arm": {"ttl": 3600}}]}})json",
          .answer_line = "What became of each, and what was learnt.",
          .answer = "Results",
          .answer_example = R"json({"results": [{"ok": true, "reward": 0.45}]})json",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{
        .method = "GET",
        .pattern = "/v1/studies/{name}/best",
        .role = Role::read,
        .serve = &Service::best,
        .operation = "best",
        .tag = "looking",
        .summary = "The arm to recommend.",
        .description =
            "With how sure that is. Before the first reward there is none (409, `no_answers`). In "
            "a study with contexts it is that of the `context`: "
            "`curl -G --data-urlencode 'context={\"load\":0.7}' ...`.",
        .query = kBestQuery,
        .answer_line = "The best arm.",
        .answer = "Best",
        .may_conflict = true},
    Route{
        .method = "GET",
        .pattern = "/v1/studies/{name}/policy",
        .role = Role::read,
        .serve = &Service::policy,
        .operation = "policy",
        .tag = "looking",
        .summary = "The arm to recommend in every context.",
        .description =
            "A row for each region of contexts, what each variable adds to the rewards of all "
            "arms alike, and which variables matter. A study without `[[context]]` has none (409, "
            "`no_contexts`).",
        .answer_line = "The policy.",
        .answer = "Policy",
        .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/summary",
          .role = Role::read,
          .serve = &Service::summary,
          .operation = "summary",
          .tag = "looking",
          .summary = "Where a study is.",
          .description = "Pulls, nodes, what stops it, what its model has learnt.",
          .answer_line = "The summary.",
          .answer = "Summary"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/tree",
          .role = Role::read,
          .serve = &Service::tree,
          .operation = "tree",
          .tag = "looking",
          .summary = "Every node of the tree.",
          .description =
              "Shallow ones first, from left to right. Empty for an algorithm without a tree.",
          .query = kTreeQuery,
          .answer_line = "The tree.",
          .answer = "Tree"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/arms",
          .role = Role::read,
          .serve = &Service::arms,
          .operation = "arms",
          .tag = "looking",
          .summary = "What is known of every arm that has rewards.",
          .description = "The most pulled first.",
          .query = kArmsQuery,
          .answer_line = "The arms.",
          .answer = "Arms"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/knobs",
          .role = Role::read,
          .serve = &Service::knobs,
          .operation = "knobs",
          .tag = "looking",
          .summary = "How much each parameter matters.",
          .description =
              "What matters most first. `clear`: that it matters is beyond doubt (95 %, for all "
              "parameters together).",
          .answer_line = "The parameters.",
          .answer = "Knobs"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/estimate",
          .role = Role::read,
          .serve = &Service::estimate,
          .operation = "estimate",
          .tag = "looking",
          .summary = "What is known of f, for a picture.",
          .description = "Along one parameter, or two, through the best arm.",
          .query = kEstimateQuery,
          .answer_line = "The picture.",
          .answer = "Estimate"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/history",
          .role = Role::read,
          .serve = &Service::history,
          .operation = "history",
          .tag = "looking",
          .summary = "Rewards over time, for a picture.",
          .description =
              "Thinned out to as many buckets as are wanted; the least and the largest of what is "
              "in a bucket are still there. The narrower the range, the finer it gets, down to "
              "single events.",
          .query = kHistoryQuery,
          .answer_line = "The picture.",
          .answer = "History"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/events",
          .role = Role::read,
          .serve = &Service::events,
          .operation = "events",
          .tag = "looking",
          .summary = "The journal.",
          .description =
              "Everything that happened, in order, or the newest first. `next` is the `after` of "
              "the next page; when it is `last`, that was all so far. The newest first, it is the "
              "`before` of the next page, or null.",
          .query = kEventsQuery,
          .answer_line = "A page of it.",
          .answer = "Entries"},
    Route{
        .method = "GET",
        .pattern = "/v1/studies/{name}/stream",
        .role = Role::read,
        .serve = &Service::stream,
        .operation = "stream",
        .tag = "looking",
        .summary = "The journal as it grows.",
        .description =
            "Server-sent events: `journal` with an Entry and its number as id; `summary` and "
            "`best`, at the beginning and at most twice a second after something happened; "
            "`skipped` where more happened than a client can read, with the numbers between which "
            "`events` has the rest. A "
            "comment comes every 15 seconds in which nothing else does. It begins with what "
            "comes next; with Last-Event-ID or `after`, with what came after that. It ends when "
            "the study is deleted or the server stops; browsers connect again by themselves.",
        .query = kStreamQuery,
        .answer_line = "The stream.",
        .answer_type = "text/event-stream",
        .is_stream = true},
    Route{.method = "POST",
          .pattern = "/v1/studies/{name}/commands",
          .role = Role::admin,
          .serve = &Service::command,
          .operation = "command",
          .tag = "steering",
          .summary = "Says what you want of whoever runs the study.",
          .description =
              "They take note of it within a second or so; the journal then has a `command`. "
              "`confirm` and `baseline` need a baseline (`no_baseline`).",
          .takes_key = true,
          .body = &kNewCommandBody,
          .body_examples = R"json({"example": {"command": "pause"}})json",
          .status = 201,
          .answer_line = "It was noted.",
          .answer = "CommandNumber",
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/commands",
          .role = Role::read,
          .serve = &Service::commands,
          .operation = "listCommands",
          .tag = "steering",
          .summary = "What was wanted.",
          .description = "All commands, the oldest first.",
          .query = kListCommandsQuery,
          .answer_line = "The commands.",
          .answer = "Commands"},
    Route{
        .method = "PUT",
        .pattern = "/v1/studies/{name}/tuner",
        .role = Role::work,
        .serve = &Service::take_tuner,
        .operation = "takeTuner",
        .tag = "tuners",
        .summary = "Takes the study for a tuner that runs elsewhere.",
        .description =
            "For 10 seconds; the tuner asks again to keep it. Meanwhile no other client may ask or "
            "tell. Refused (`open_elsewhere`) while another tuner has it, or while workers have "
            "tickets on lease.",
        .body = &kTunerLeaseBody,
        .body_examples =
            R"json({"example": {"tuner": "5f0c9a17e2b84d36", "holder": "pid 4711 on build-3"}})json",
        .answer_line = "It has the study.",
        .answer = "TunerLeaseGiven",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "DELETE",
          .pattern = "/v1/studies/{name}/tuner",
          .role = Role::work,
          .serve = &Service::release_tuner,
          .operation = "releaseTuner",
          .tag = "tuners",
          .summary = "Gives the study back.",
          .description = "If that tuner has it; else nothing happens.",
          .query = kReleaseTunerQuery,
          .status = 204,
          .answer_line = "Done; there is nothing to say.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{
        .method = "POST",
        .pattern = "/v1/studies/{name}/tuner-events",
        .role = Role::work,
        .serve = &Service::tuner_events,
        .operation = "addTunerEvents",
        .tag = "tuners",
        .summary = "Adds what a tuner has done.",
        .description =
            "The server does all of it again with its own optimizer and compares: all of it is "
            "taken, or nothing. The journal must have `after` events, or already exactly these "
            "after them, which is a repeated request.\n\nConflicts: `moved_on`, `does_not_fit`, "
            "`open_elsewhere`, `other_revision`.",
        .body = &kTunerEventsBody,
        .body_examples =
            R"json({"example": {"tuner": "5f0c9a17e2b84d36", "after": 120, "events": [{"kind": "tell", "ticket": 31, "reward": 0.71}]}})json",
        .answer_line = "It is in the journal.",
        .answer = "JournalLength",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/snapshot",
          .role = Role::read,
          .serve = &Service::snapshot,
          .operation = "getSnapshot",
          .tag = "tuners",
          .summary = "The last snapshot.",
          .description =
              "The whole state of the optimizer, so that a tuner or a client can begin without the "
              "journal. `no_snapshot` when there is none.",
          .answer_line = "The snapshot.",
          .answer = "Snapshot"},
    Route{.method = "PUT",
          .pattern = "/v1/studies/{name}/snapshot",
          .role = Role::work,
          .serve = &Service::set_snapshot,
          .operation = "makeSnapshot",
          .tag = "tuners",
          .summary = "Makes a snapshot.",
          .description = "Of the state that the server has now. A body is ignored.",
          .status = 204,
          .answer_line = "Done; there is nothing to say.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{
        .method = "GET",
        .pattern = "/metrics",
        .role = Role::read,
        .serve = &Service::metrics,
        .operation = "metrics",
        .tag = "server",
        .summary = "Metrics, in the text format of Prometheus.",
        .description =
            "Requests, latencies, commits, connections, streams, open studies, tickets in flight.",
        .answer_line = "The metrics.",
        .answer_type = "text/plain"},
    Route{
        .method = "GET",
        .pattern = "/v1/me",
        .role = Role::read,
        .serve = &Service::me,
        .operation = "me",
        .tag = "server",
        .summary = "Who asks, and what they may do.",
        .description =
            "By the token; without tokens, everybody may do everything, or on a server that only "
            "shows, look.",
        .answer_line = "Whose token it is.",
        .answer = "Me",
        .answer_example =
            R"json({"name": "alice", "role": "admin", "roles": ["read", "work", "admin"], "studies": ["*"], "version": "1.0.0"})json"},
    Route{.method = "GET",
          .pattern = "/healthz",
          .serve = &Service::health,
          .operation = "health",
          .tag = "server",
          .summary = "Whether the server lives.",
          .description = "Needs no token and asks nothing of the store.",
          .answer_line = "It lives.",
          .answer = "Status",
          .answer_example = R"json({"status": "ok"})json",
          .is_immediate = true},
    Route{.method = "GET",
          .pattern = "/readyz",
          .serve = &Service::ready,
          .operation = "ready",
          .tag = "server",
          .summary = "Whether the server can serve.",
          .description =
              "Needs no token. 503 while the store cannot be read, and while the server stops.",
          .answer_line = "It can.",
          .answer = "Status",
          .answer_example = R"json({"status": "ready"})json",
          .is_immediate = true},
    Route{.method = "GET",
          .pattern = "/openapi.json",
          .serve = &Service::openapi,
          .operation = "openapi",
          .tag = "server",
          .summary = "This document.",
          .description = "Needs no token.",
          .answer_line = "This document."},
    Route{.method = "GET",
          .pattern = "/",
          .serve = &Service::page,
          .operation = "page",
          .tag = "server",
          .summary = "The live page.",
          .description =
              "Needs no token; what it shows is asked for with the one that the reader has.",
          .answer_line = "The page.",
          .answer_type = "text/html"},
    Route{.method = "GET",
          .pattern = "/page/{name}",
          .serve = &Service::page_file,
          .operation = "pageFile",
          .tag = "server",
          .summary = "A file of the live page: its script, its style, its font.",
          .description = "They are in the binary, and sent compressed to those who take that.",
          .answer_line = "The file.",
          .answer_type = "text/javascript"}};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace canopy::service
