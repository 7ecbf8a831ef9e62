#include "service/routes.hpp"

#include "service/request_bodies.hpp"
#include "service/service.hpp"

#include <array>

namespace canopy::service {
namespace {

constexpr std::array kListStudiesQuery{QueryField{.name = "after",
                                                  .help = "Only studies with a larger name.",
                                                  .kind = QueryField::Kind::text},
                                       QueryField{.name = "limit",
                                                  .help = "The maximum number of studies per page.",
                                                  .kind = QueryField::Kind::whole,
                                                  .least = 1,
                                                  .most = 1000,
                                                  .usual = "100"}};

constexpr std::array kDeleteStudyQuery{
    QueryField{.name = "tuner",
               .help = "The identity of the tuner that runs the study, if there is one.",
               .kind = QueryField::Kind::text}};

constexpr std::array kBestQuery{
    QueryField{.name = "context",
               .help = "The context, as JSON: a value for each variable. Required if the study has "
                       "`[[context]]`, otherwise refused.",
               .kind = QueryField::Kind::json,
               .schema = "Context"}};

constexpr std::array kTreeQuery{
    QueryField{
        .name = "limit",
        .help = "The maximum number of nodes: those with the most pulls below them, each with its "
                "parent and sibling.",
        .kind = QueryField::Kind::whole,
        .least = 1},
    QueryField{.name = "cells",
               .help = "Whether each node has its `depth`, `share` and `cell`.",
               .kind = QueryField::Kind::flag,
               .usual = "false"}};

constexpr std::array kArmsQuery{QueryField{.name = "limit",
                                           .help = "The maximum number of settings.",
                                           .kind = QueryField::Kind::whole,
                                           .least = 1,
                                           .most = 100000,
                                           .usual = "2000"}};

constexpr std::array kEstimateQuery{
    QueryField{.name = "points",
               .help = "The number of points along each axis: by default 101 for a curve and 41 "
                       "for a map, at most 300 for a map.",
               .kind = QueryField::Kind::whole,
               .least = 2,
               .most = 100000},
    QueryField{.name = "x",
               .help = "The parameter of the first axis; default: the first parameter.",
               .kind = QueryField::Kind::text,
               .example = "ttl"},
    QueryField{.name = "y",
               .help = "The parameter of the second axis, for a map.",
               .kind = QueryField::Kind::text}};

constexpr std::array kHistoryQuery{
    QueryField{.name = "by",
               .help = "The unit of `from`, `to` and the width of the buckets: rewards learnt, or "
                       "seconds since 1970.",
               .kind = QueryField::Kind::word,
               .words = "pulls,time",
               .usual = "pulls"},
    QueryField{.name = "from",
               .help = "The start of the range; default: the start of the study.",
               .kind = QueryField::Kind::number},
    QueryField{.name = "to",
               .help = "The end of the range, not before `from`; default: the end of the study.",
               .kind = QueryField::Kind::number},
    QueryField{.name = "buckets",
               .help = "The maximum number of buckets.",
               .kind = QueryField::Kind::whole,
               .least = 1,
               .most = 5000,
               .usual = "600"}};

constexpr std::array kEventsQuery{
    QueryField{.name = "after",
               .help = "Only entries with a larger number.",
               .kind = QueryField::Kind::whole,
               .usual = "0"},
    QueryField{.name = "limit",
               .help = "The maximum number of entries per page.",
               .kind = QueryField::Kind::whole,
               .least = 1,
               .most = 10000,
               .usual = "1000"},
    QueryField{.name = "order",
               .help = "The order of the entries.",
               .kind = QueryField::Kind::word,
               .words = "oldest,newest",
               .usual = "oldest"},
    QueryField{.name = "before",
               .help = "With `order=newest`: only entries with a smaller number; default: from "
                       "the newest on.",
               .kind = QueryField::Kind::whole,
               .least = 1},
    QueryField{.name = "kinds",
               .help = "Only these kinds of events, separated by commas; default: all.",
               .kind = QueryField::Kind::text,
               .example = "failure,command"}};

constexpr std::array kStreamQuery{
    QueryField{.name = "after",
               .help = "Only entries with a larger number; default: those written from now on.",
               .kind = QueryField::Kind::whole},
    QueryField{
        .name = "journal",
        .help = "Whether events of the journal are sent; if not, only `summary` and `best` are.",
        .kind = QueryField::Kind::flag,
        .usual = "true"}};

constexpr std::array kListCommandsQuery{QueryField{.name = "after",
                                                   .help = "Only commands with a larger number.",
                                                   .kind = QueryField::Kind::whole,
                                                   .usual = "0"}};

constexpr std::array kReleaseTunerQuery{QueryField{
    .name = "tuner", .help = "The identity of the tuner.", .kind = QueryField::Kind::text}};

constexpr std::array kRoutes{
    Route{.method = "GET",
          .pattern = "/v1/studies",
          .role = Role::read,
          .serve = &Service::list,
          .operation = "listStudies",
          .tag = "studies",
          .summary = "Lists studies.",
          .description =
              "The studies that the token covers, in the order of their names. `next` is the "
              "`after` of the next page.",
          .query = kListStudiesQuery,
          .answer_line = "A page of the list.",
          .answer = "StudyPage"},
    Route{
        .method = "POST",
        .pattern = "/v1/studies",
        .role = Role::work,
        .serve = &Service::create,
        .operation = "createStudy",
        .tag = "studies",
        .summary = "Creates a study.",
        .description =
            "If a study of that name exists and was created with the same settings, nothing "
            "changes (200). The default optimizer is the adaptive tree; an existing study keeps "
            "its own. `fork_of` creates the study from another one. `whole` imports a study with "
            "its journal. The token must cover all studies that the request names.\n\nConflicts: "
            "`differs`, `taken`, `other_revision`, `open_elsewhere`.",
        .body = &kNewStudyBody,
        .body_examples =
            R"json({"examples": {"toml": {"summary": "From a study file", "value": {"name": "cache", "toml": "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 3600.0\nscale = \"log\"\n"}}, "json": {"summary": "The same as JSON", "value": {"name": "cache", "specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}]}}}, "fork": {"summary": "A fork with another option", "value": {"name": "cache-2", "fork_of": "cache", "specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}], "optimizer": {"settle": 5}}}}}})json",
        .status = 201,
        .answer_line = "The study was created.",
        .line_if_there = "The study exists already.",
        .answer = "Study",
        .may_conflict = true},
    Route{
        .method = "POST",
        .pattern = "/v1/checks",
        .role = Role::work,
        .serve = &Service::check,
        .operation = "check",
        .tag = "page",
        .summary = "Checks a study file.",
        .description =
            "For editors of study files, in TOML or JSON: the answer has the file in both forms, "
            "and every error with its place. Nothing is stored or run.",
        .body = &kDraftBody,
        .body_examples =
            R"json({"example": {"toml": "[[space]]\nname = \"ttl\"\nlow = 1.0\nhigh = 3600.0\nscale = \"log\""}})json",
        .answer_line = "The study file and its errors.",
        .answer = "Checked"},
    Route{.method = "GET",
          .pattern = "/v1/catalogue",
          .role = Role::read,
          .serve = &Service::catalogue,
          .operation = "catalogue",
          .tag = "page",
          .summary = "Lists optimizers, environments, kinds of parameters and their options.",
          .description =
              "Every option has its default and its help. Also lists the keys of `[system]`, "
              "`[budget]` and `[[limit]]`, and the defaults of a study file. For editors of "
              "study files.",
          .answer_line = "The catalogue.",
          .answer = "Catalogue"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}",
          .role = Role::read,
          .serve = &Service::show,
          .operation = "getStudy",
          .tag = "studies",
          .summary = "Shows a study.",
          .description = "With its specification, in which every option has a value.",
          .answer_line = "The study.",
          .answer = "Study"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/glance",
          .role = Role::read,
          .serve = &Service::glance,
          .operation = "glance",
          .tag = "page",
          .summary = "Shows a study as in a list.",
          .description = "Cheap to repeat: it is computed again only after new events.",
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
              "With its journal. Refused (`open_elsewhere`) if another process has it open or "
              "another tuner runs it.",
          .query = kDeleteStudyQuery,
          .status = 204,
          .answer_line = "Done.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/specification",
          .role = Role::read,
          .serve = &Service::specification,
          .operation = "specification",
          .tag = "studies",
          .summary = "Shows the study file.",
          .description = "Every option has a value, including defaults.",
          .answer_line = "The study file as JSON and as TOML, and which options have their "
                         "default.",
          .answer = "StudyFile"},
    Route{
        .method = "PUT",
        .pattern = "/v1/studies/{name}/specification",
        .role = Role::work,
        .serve = &Service::set_specification,
        .operation = "setSpecification",
        .tag = "studies",
        .summary = "Changes settings that learning does not depend on.",
        .description =
            "`system`, `budget`, `limit`, `reward_range` and `confidence`; a change of the range "
            "is recorded in the journal. Other settings need a fork (`differs`). While a tuner "
            "runs the study, only that tuner may change it (`open_elsewhere`). Further "
            "conflicts: `other_revision`.",
        .body = &kSpecificationChangeBody,
        .body_examples =
            R"json({"example": {"specification": {"direction": "maximize", "space": [{"name": "ttl", "type": "real", "low": 1.0, "high": 3600.0, "scale": "log"}], "reward_range": [0, 1]}}})json",
        .status = 204,
        .answer_line = "Done.",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "POST",
          .pattern = "/v1/studies/{name}/asks",
          .role = Role::work,
          .serve = &Service::ask,
          .operation = "ask",
          .tag = "working",
          .summary = "Asks for settings to try next.",
          .description =
              "Each ticket is a setting to measure up to `length` times. Several tickets may be "
              "open at once, for instance one for each worker. With `lease_seconds`, a ticket "
              "that is not answered within that time is dropped, so that a dead worker blocks "
              "nothing.\n\nConflicts: `paused`, `ended`, `open_elsewhere`, `other_revision`.",
          .takes_key = true,
          .body = &kAskBody,
          .needs_body = false,
          .body_examples = R"json({"example": {"pulls": 1, "count": 2, "lease_seconds": 60}})json",
          .answer_line = "The tickets.",
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
          .description = "Tickets that are not fully answered, the oldest first.",
          .answer_line = "The open tickets.",
          .answer = "OpenTickets"},
    Route{
        .method = "POST",
        .pattern = "/v1/studies/{name}/tells",
        .role = Role::work,
        .serve = &Service::tell,
        .operation = "tell",
        .tag = "working",
        .summary = "Reports measurements.",
        .description =
            "Rewards are in the user's units, and stored on disk before the answer is sent. Each "
            "item is accepted or refused on its own; `results` lists the outcomes in the same "
            "order. If all are refused, the answer is a problem (409; 410 if all are `gone`) and "
            "nothing has changed.\n\nConflicts: `unknown_ticket`, `closed_ticket`, "
            "`too_many_rewards`, `not_a_reward`, `impossible_sums`, `no_reward_yet`, "
            "`open_elsewhere`, `other_revision`.",
        .takes_key = true,
        .body = &kTellsBody,
        .body_examples =
            R"json({"examples": {"one": {"summary": "One reward", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "reward": 0.5}]}}, "several": {"summary": "Several rewards", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "rewards": [0.5, 0.7]}]}}, "sums": {"summary": "As sums", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "count": 2, "sum": 1.2, "sum_squares": 0.74}]}}, "failure": {"summary": "A pull that failed", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "failed": true}]}}, "many": {"summary": "Of many tickets", "value": {"tells": [{"ticket": "1-9f3c2a71b0", "reward": 0.5}, {"ticket": "77-9f3c2a71b0", "reward": 1}, {"ticket": "2-9f3c2a71b0", "failed": true}]}}}})json",
        .answer_line = "The outcome of each item.",
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
          .summary = "Returns tickets without a measurement.",
          .description = "Nothing is learnt; the setting is likely to be returned by a later "
                         "ask.\n\nConflicts: `unknown_ticket`, `closed_ticket`, `open_elsewhere`, "
                         "`other_revision`.",
          .takes_key = true,
          .body = &kDropsBody,
          .body_examples = R"json({"example": {"tickets": ["3-9f3c2a71b0"]}})json",
          .answer_line = "The outcome of each item.",
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
        .summary = "Reports measurements of settings that no ask returned.",
        .description =
            "For earlier measurements, or measurements of other systems. They count as pulls of "
            "the setting, not as steps of the search.\n\nConflicts: `not_a_reward`, "
            "`impossible_sums`, `not_an_arm`, `open_elsewhere`, `other_revision`.",
        .takes_key = true,
        .body = &kObservationsBody,
        .body_examples =
            R"json({"example": {"observations": [{"arm": {"ttl": 58.9}, "rewards": [0.8, 0.9]}]}})json",
        .answer_line = "The outcome of each item.",
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
          .summary = "Bars settings: they are not tried again.",
          .description =
              "`best` does not return them, and the search avoids them. Tickets for them stay "
              "open.\n\nConflicts: `no_reward_yet`, `not_a_reward`, `not_an_arm`, "
              "`open_elsewhere`, `other_revision`.",
          .takes_key = true,
          .body = &kBarsBody,
          .body_examples = R"json({"example": {"bars": [{"arm": {"ttl": 3600}}]}})json",
          .answer_line = "The outcome of each item, and the reward that was learnt.",
          .answer = "Results",
          .answer_example = R"json({"results": [{"ok": true, "reward": 0.45}]})json",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/best",
          .role = Role::read,
          .serve = &Service::best,
          .operation = "best",
          .tag = "looking",
          .summary = "Returns the best setting so far.",
          .description =
              "With its confidence interval. Before the first reward there is none (409, "
              "`no_best`). In a study with contexts, the best setting depends on the `context`: "
              "`curl -G --data-urlencode 'context={\"load\":0.7}' ...`.",
          .query = kBestQuery,
          .answer_line = "The best setting so far.",
          .answer = "Best",
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/policy",
          .role = Role::read,
          .serve = &Service::policy,
          .operation = "policy",
          .tag = "looking",
          .summary = "Returns the best setting so far in every context.",
          .description =
              "A row for each region of contexts, the effect of each variable on the rewards of "
              "all settings, and which variables matter. A study without `[[context]]` has no "
              "policy (409, `no_contexts`).",
          .answer_line = "The policy.",
          .answer = "Policy",
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/summary",
          .role = Role::read,
          .serve = &Service::summary,
          .operation = "summary",
          .tag = "looking",
          .summary = "Returns the state of a study.",
          .description = "Pulls, nodes, the command in force, and what the model has learnt.",
          .answer_line = "The summary.",
          .answer = "Summary"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/tree",
          .role = Role::read,
          .serve = &Service::tree,
          .operation = "tree",
          .tag = "looking",
          .summary = "Returns the search tree.",
          .description =
              "Nodes by depth, then from left to right. Empty for an algorithm without a tree.",
          .query = kTreeQuery,
          .answer_line = "The tree.",
          .answer = "Tree"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/arms",
          .role = Role::read,
          .serve = &Service::arms,
          .operation = "arms",
          .tag = "looking",
          .summary = "Returns the measured settings.",
          .description = "Those with most pulls first.",
          .query = kArmsQuery,
          .answer_line = "The settings.",
          .answer = "Arms"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/knobs",
          .role = Role::read,
          .serve = &Service::knobs,
          .operation = "knobs",
          .tag = "page",
          .summary = "Returns the importance of the parameters.",
          .description =
              "The most important first. `is_significant`: at the 95 % level, for all parameters "
              "together.",
          .answer_line = "The parameters.",
          .answer = "Knobs"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/estimate",
          .role = Role::read,
          .serve = &Service::estimate,
          .operation = "estimate",
          .tag = "page",
          .summary = "Returns the estimated reward for a plot.",
          .description = "Along one parameter or two, on a slice through the best setting so far.",
          .query = kEstimateQuery,
          .answer_line = "The picture.",
          .answer = "Estimate"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/history",
          .role = Role::read,
          .serve = &Service::history,
          .operation = "history",
          .tag = "page",
          .summary = "Returns rewards over time for a plot.",
          .description =
              "Downsampled to the given number of buckets; the minimum and maximum of each "
              "bucket are kept. A narrow range resolves single events.",
          .query = kHistoryQuery,
          .answer_line = "The picture.",
          .answer = "History"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/events",
          .role = Role::read,
          .serve = &Service::events,
          .operation = "events",
          .tag = "looking",
          .summary = "Returns the journal.",
          .description =
              "All events in order, or the newest first. `next` is the `after` of the next page; "
              "if it equals `last`, there are no more events so far. With the newest first, "
              "`next` is the `before` of the next page, or null.",
          .query = kEventsQuery,
          .answer_line = "A page of the journal.",
          .answer = "Entries"},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/stream",
          .role = Role::read,
          .serve = &Service::stream,
          .operation = "stream",
          .tag = "looking",
          .summary = "Streams the journal as it grows.",
          .description =
              "Server-sent events: `journal` with an Entry and its number as id; `summary` and "
              "`best`, at the beginning and after changes, at most twice a second; `skipped` if "
              "there are more events than can be sent, with the range of numbers to read from "
              "`events`. After 15 seconds without an event a comment is sent. The stream begins "
              "with the next event, or with Last-Event-ID or `after` with the one after that. It "
              "ends when the study is deleted or the server stops; browsers reconnect by "
              "themselves.",
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
          .summary = "Posts a command to the study's tuner.",
          .description =
              "The tuner, or the server if none runs, accepts it within about a second; the "
              "journal then has a `command`. `confirm` and `baseline` need a baseline "
              "(`no_baseline`).",
          .takes_key = true,
          .body = &kNewCommandBody,
          .body_examples = R"json({"example": {"command": "pause"}})json",
          .status = 201,
          .answer_line = "The command was posted.",
          .answer = "CommandNumber",
          .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/commands",
          .role = Role::read,
          .serve = &Service::commands,
          .operation = "listCommands",
          .tag = "steering",
          .summary = "Lists the posted commands.",
          .description = "The oldest first.",
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
        .summary = "Acquires the study for a tuner in another process.",
        .description =
            "The lease lasts 10 seconds; the tuner repeats the request to renew it. Meanwhile no "
            "other client may ask or tell. Refused (`open_elsewhere`) while another tuner holds "
            "the study, or while workers hold leased tickets.",
        .body = &kTunerLeaseBody,
        .body_examples =
            R"json({"example": {"tuner": "5f0c9a17e2b84d36", "holder": "pid 4711 on build-3"}})json",
        .answer_line = "The tuner holds the study.",
        .answer = "TunerLeaseGiven",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "DELETE",
          .pattern = "/v1/studies/{name}/tuner",
          .role = Role::work,
          .serve = &Service::release_tuner,
          .operation = "releaseTuner",
          .tag = "tuners",
          .summary = "Releases the study.",
          .description = "Does nothing if that tuner does not hold it.",
          .query = kReleaseTunerQuery,
          .status = 204,
          .answer_line = "Done.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{
        .method = "POST",
        .pattern = "/v1/studies/{name}/tuner-events",
        .role = Role::work,
        .serve = &Service::tuner_events,
        .operation = "addTunerEvents",
        .tag = "tuners",
        .summary = "Appends the events of a tuner.",
        .description =
            "The server replays the events with its own optimizer and accepts all of them, or "
            "none if they do not match. The journal must have `after` events; if these events "
            "already follow, the request is a repetition and succeeds.\n\nConflicts: `moved_on`, "
            "`does_not_fit`, `open_elsewhere`, `other_revision`.",
        .body = &kTunerEventsBody,
        .body_examples =
            R"json({"example": {"tuner": "5f0c9a17e2b84d36", "after": 120, "events": [{"kind": "tell", "ticket": 31, "reward": 0.71}]}})json",
        .answer_line = "The events are in the journal.",
        .answer = "JournalLength",
        .may_be_elsewhere = true,
        .may_conflict = true},
    Route{.method = "GET",
          .pattern = "/v1/studies/{name}/snapshot",
          .role = Role::read,
          .serve = &Service::snapshot,
          .operation = "getSnapshot",
          .tag = "tuners",
          .summary = "Returns the last snapshot.",
          .description =
              "The whole state of the optimizer, so that a tuner or a client can start without "
              "replaying the journal. `no_snapshot` if there is none.",
          .answer_line = "The snapshot.",
          .answer = "Snapshot"},
    Route{.method = "PUT",
          .pattern = "/v1/studies/{name}/snapshot",
          .role = Role::work,
          .serve = &Service::set_snapshot,
          .operation = "makeSnapshot",
          .tag = "tuners",
          .summary = "Makes a snapshot.",
          .description = "The snapshot is made from the present state of the server. A body is "
                         "ignored.",
          .status = 204,
          .answer_line = "Done.",
          .may_be_elsewhere = true,
          .may_conflict = true},
    Route{
        .method = "GET",
        .pattern = "/metrics",
        .role = Role::read,
        .serve = &Service::metrics,
        .operation = "metrics",
        .tag = "server",
        .summary = "Returns metrics in the text format of Prometheus.",
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
        .summary = "Describes the client's token.",
        .description =
            "On a server without tokens every client has the role `admin`, or `read` if the "
            "server is read-only.",
        .answer_line = "The token.",
        .answer = "Me",
        .answer_example =
            R"json({"name": "alice", "role": "admin", "roles": ["read", "work", "admin"], "studies": ["*"], "version": "1.0.0"})json"},
    Route{.method = "GET",
          .pattern = "/healthz",
          .serve = &Service::health,
          .operation = "health",
          .tag = "server",
          .summary = "Liveness check.",
          .description = "Needs no token and does not use the store.",
          .answer_line = "The server is alive.",
          .answer = "Status",
          .answer_example = R"json({"status": "ok"})json",
          .is_immediate = true},
    Route{.method = "GET",
          .pattern = "/readyz",
          .serve = &Service::ready,
          .operation = "ready",
          .tag = "server",
          .summary = "Readiness check.",
          .description =
              "Needs no token. 503 while the store cannot be read, and while the server stops.",
          .answer_line = "The server is ready.",
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
          .description = "Needs no token; the page sends the user's token when it requests data.",
          .answer_line = "The page.",
          .answer_type = "text/html"},
    Route{.method = "GET",
          .pattern = "/page/{name}",
          .serve = &Service::page_file,
          .operation = "pageFile",
          .tag = "server",
          .summary = "A file of the live page: script, style sheet or font.",
          .description = "Compressed if the client accepts gzip.",
          .answer_line = "The file.",
          .answer_type = "text/javascript"}};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace canopy::service
