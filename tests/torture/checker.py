"""Compares acknowledged requests with the journal, and the journal with what servers return.

It reads the tables of the store and computes everything itself; canopy only provides the answers to check.
"""

import collections
import json
import math
import re
import signal
import struct
import urllib.parse
import zlib

from clients import STUDIES, Caller, Violation, coordinates, rewards_of
from world import Serving, free_port, tool

Event = collections.namedtuple("Event", "number at checksum text kind fields")


def read_journal(world, study):
    """Reads the events of a study from the table."""
    rows = world.query(
        "SELECT number, at, checksum, event FROM events WHERE study = "
        f"(SELECT id FROM studies WHERE name = '{study}') ORDER BY number"
    )
    events = []
    for number, at, checksum, text in rows:
        kind, *fields = json.loads(text)
        events.append(Event(number, at, checksum, text, kind, fields))
    return events


def summed(rewards):
    """The rewards of an event in any form: their count, sum, minimum and maximum."""
    if isinstance(rewards, dict):
        return rewards["count"], rewards["sum"], rewards["min"], rewards["max"]
    values = rewards if isinstance(rewards, list) else [rewards]
    return len(values), math.fsum(values), min(values), max(values)


def same(first, second):
    return first[0] == second[0] and all(
        math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12) for a, b in zip(first, second)
    )


def check_rows(study, events):
    """Checks that numbers have no gaps, times do not decrease, and checksums match."""
    last = 0
    for number, event in enumerate(events, 1):
        if event.number != number:
            raise Violation(f"{study}: event {number} is missing; the next one is {event.number}")
        if event.at < last:
            raise Violation(f"{study}: event {number} is earlier ({event.at}) than the one before it ({last})")
        last = event.at
        expected = zlib.crc32(struct.pack("<Qd", event.number, event.at) + event.text.encode())
        if event.checksum != expected:
            raise Violation(
                f"{study}: the checksum of event {number} is {event.checksum}, not {expected}: {event.text}"
            )


def by_ticket(study, events):
    """The asks by ticket, and the events of each ticket in order."""
    asks, answers = {}, collections.defaultdict(list)
    for event in events:
        if event.kind == "ask":
            if event.fields[0] in asks:
                raise Violation(f"{study}: ticket {event.fields[0]} was given out twice, in event {event.number}")
            asks[event.fields[0]] = event
        elif event.kind in ("tell", "penalize", "drop"):
            if event.fields[0] not in asks:
                raise Violation(f"{study}: event {event.number} answers ticket {event.fields[0]}, never given out")
            answers[event.fields[0]].append(event)
    return asks, answers


def check_acts(study, events, log):
    """Checks that the journal contains everything acknowledged exactly once, and nothing else."""
    asks, answers = by_ticket(study, events)
    space = STUDIES[study]["space"]
    wanted = collections.defaultdict(list)  # by ticket
    tickets = {}
    observed, barred, commands = [], [], {}
    for call in (each for each in log.calls if each.study == study):
        if call.what == "asks" and call.status == 200:
            for each in json.loads(call.answer)["tickets"]:
                number = int(each["ticket"].split("-")[0])
                if number in tickets:
                    raise Violation(
                        f"{study}: ticket {number} was acknowledged twice: {call.key}, {tickets[number][0]}"
                    )
                tickets[number] = call.key, each, call.body.get("lease_seconds")
        elif call.what == "commands":
            commands[json.loads(call.answer)["number"]] = call
        elif call.what in ("tells", "drops", "observations", "bars"):
            for element, result in call.results():
                if "error" in result:
                    continue
                if call.what == "tells":
                    kind = "penalize" if element.get("failed") else "tell"
                    wanted[int(element["ticket"].split("-")[0])].append((kind, summed(rewards_of(element)), call.key))
                elif call.what == "drops":
                    wanted[int(element.split("-")[0])].append(("drop", None, call.key))
                elif call.what == "observations":
                    observed.append((coordinates(space, element["arm"]), summed(element["rewards"])))
                else:
                    barred.append((coordinates(space, element["arm"]), element["reward"]))
    check_tickets(study, asks, tickets, space)
    for number in asks:
        check_answers(study, number, wanted[number], answers[number], tickets[number][2])
    compare(
        study,
        "observations",
        observed,
        [(tuple(each.fields[0]), summed(each.fields[1])) for each in events if each.kind == "observe"],
    )
    compare(study, "bars", barred, [(tuple(each.fields[1]), each.fields[0]) for each in events if each.kind == "bar"])
    check_commands(study, commands, [each for each in events if each.kind == "command"])


def check_tickets(study, asks, tickets, space):
    for number, (key, each, _) in tickets.items():
        if number not in asks:
            raise Violation(f"{study}: the acknowledged ticket {number} ({key}) is not in the journal")
        event = asks[number]
        if not all(map(math.isclose, event.fields[1], coordinates(space, each["arm"]))):
            raise Violation(f"{study}: ticket {number} ({key}) is for {each['arm']}, but in the journal {event.text}")
        if (event.fields[3] if len(event.fields) > 3 else 1) != each["length"]:  # default values are omitted
            raise Violation(f"{study}: ticket {number} ({key}) has length {each['length']}; journal: {event.text}")
    for number in asks.keys() - tickets.keys():
        raise Violation(f"{study}: ticket {number} is in the journal, but no client received it: {asks[number].text}")


def check_answers(study, number, wanted, found, lease):
    """Checks that a ticket's results in the journal are the acknowledged ones; a lease may end with a drop."""
    if lease and found and found[-1].kind == "drop" and (not wanted or wanted[-1][0] != "drop"):
        found = found[:-1]
    texts = [each.text for each in found]
    if len(wanted) != len(found):
        raise Violation(f"{study}: ticket {number}: {wanted} was acknowledged, but the journal has {texts}")
    for (kind, rewards, key), event in zip(wanted, found):
        if event.kind != kind or (rewards and not same(rewards, summed(event.fields[1]))):
            raise Violation(f"{study}: ticket {number}: {kind} {rewards} ({key}) was acknowledged; journal: {texts}")


def compare(study, what, wanted, found):
    """Whether two lists have the same elements in any order; sums may differ by rounding."""

    def key(each):
        coordinates, rewards = each
        values = rewards if isinstance(rewards, tuple) else (rewards,)
        return tuple(round(value, 9) for value in (*coordinates, *values))

    missing = collections.Counter(map(key, wanted)) - collections.Counter(map(key, found))
    more = collections.Counter(map(key, found)) - collections.Counter(map(key, wanted))
    if missing or more:
        raise Violation(
            f"{study}: {what} acknowledged and not in the journal: {dict(missing)}; only there: {dict(more)}"
        )


def check_commands(study, commands, events):
    found = collections.Counter(each.fields[0] for each in events)
    for number, call in commands.items():
        if found[number] != 1:
            raise Violation(f"{study}: the command {number} ({call.key}) is in the journal {found[number]} times")
    for event in events:
        call = commands.get(event.fields[0])
        if call is None or call.body["command"] != event.fields[1]:
            raise Violation(f"{study}: event {event.number} has a command that no client sent: {event.text}")


def check_kept_answers(world, study, log):
    """Checks that the stored answer of each key is the acknowledged one."""
    rows = world.query(f"SELECT key, answer FROM answers WHERE study = (SELECT id FROM studies WHERE name = '{study}')")
    kept = dict(rows)
    if len(kept) != len(rows):
        raise Violation(f"{study}: a key has two answers")
    for call in log.calls:
        if call.study == study and call.status == 200 and call.what != "commands":
            text = f"{call.status}\n{call.answer.decode()}"
            if kept.get(call.key) != text:
                raise Violation(
                    f"{study}: under the key {call.key} is {kept.get(call.key)!r}, acknowledged was {text!r}"
                )


def check_tuner(events, tuner):
    """Checks that the journal has only actual measurements, each at most once."""
    measured = collections.Counter(map(float, tuner.measured.read_text().split()))
    found = collections.Counter()
    for event in events:
        if event.kind in ("tell", "hold"):
            found[event.fields[1]] += 1
        elif event.kind == "observe":
            count, total, *_ = summed(event.fields[1])
            if count == 1:
                found[total] += 1
    for reward, times in found.items():
        if times > 1 or reward not in measured:
            raise Violation(f"{tuner.study}: the reward {reward} was measured {measured[reward]} times, told {times}")


def check_pipe(events, pipe):
    _, answers = by_ticket("piped", events)
    for ticket, reward in pipe.acknowledged.items():
        told = [each.fields[1] for each in answers[ticket] if each.kind == "tell"]
        if told != [reward]:
            raise Violation(f"piped: ticket {ticket} was told {reward}, but the journal has {told}")
    for ticket, found in answers.items():
        for event in found:
            if event.kind == "tell" and event.fields[1] not in pipe.sent.get(ticket, []):
                raise Violation(f"piped: event {event.number} was never sent: {event.text}")
        if len(found) > 1:
            raise Violation(f"piped: ticket {ticket} was answered {len(found)} times: {[each.text for each in found]}")


VOLATILE = ("now", "state", "phase", "why", "open_by", "updated")
LOOKS = ("tree?cells=true", "best", "summary", "arms?limit=100000", "knobs", "asks")


def looks(port, study, log):
    """Reads a study from a server."""
    caller = Caller([port], 0, log)
    found = {}
    for route in LOOKS:
        status, answer = caller.insist("GET", f"/v1/studies/{urllib.parse.quote(study)}/{route}")
        content = json.loads(answer)
        if status == 200:
            for key in VOLATILE:
                content.pop(key, None)
        else:
            content = status, content["code"]
        found[route] = content
    return found


def check_same_looks(study, first, second, where):
    for route in LOOKS:
        if first[route] != second[route]:
            a, b = json.dumps(first[route]), json.dumps(second[route])
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            raise Violation(
                f"{study}: {route} of {where} differs at {at}: {a[max(0, at - 80) : at + 80]} / "
                f"{b[max(0, at - 80) : at + 80]}"
            )


def check_arms(study, space, events, shown):
    """The count and mean of the rewards of each arm, computed from the journal."""
    asks, _ = by_ticket(study, events)
    counts, sums = collections.Counter(), collections.defaultdict(list)
    for event in events:
        if event.kind == "tell":
            arm = tuple(asks[event.fields[0]].fields[1])
            count, total, *_ = summed(event.fields[1])
        elif event.kind == "observe" and (len(event.fields) < 3 or event.fields[2] != "warm_up"):
            arm = tuple(event.fields[0])
            count, total, *_ = summed(event.fields[1])
        else:
            continue
        counts[arm] += count
        sums[arm].append(total)
    found = {coordinates(space, each["arm"]): each for each in shown["arms?limit=100000"]["arms"] if each["pulls"]}
    for arm, count in counts.items():
        each = found.pop(arm, None)
        mean = math.fsum(sums[arm]) / count
        if each is None or each["pulls"] != count or not math.isclose(each["mean"], mean, rel_tol=1e-9, abs_tol=1e-12):
            raise Violation(f"{study}: {arm} has {count} rewards with mean {mean} in the journal; shown: {each}")
    if found:
        raise Violation(f"{study}: arms without rewards in the journal: {list(found.values())[:3]}")


def check_world(world, log, tuners, pipe):
    """Performs all checks after a campaign whose clients have ended. Returns the number of events."""
    live = [{study: looks(node.proxy.port, study, log) for study in STUDIES} for node in world.nodes]
    journals = {study: read_journal(world, study) for study in STUDIES}
    others = {tuner.study: tuner for tuner in tuners} | ({"piped": pipe} if pipe else {})
    for study, owner in others.items():
        events = read_journal(world, study)
        check_rows(study, events)
        (check_pipe if study == "piped" else check_tuner)(events, owner)
        journals[study] = events
    for study in STUDIES:
        check_rows(study, journals[study])
        check_acts(study, journals[study], log)
        check_kept_answers(world, study, log)
        for shown in live:
            check_arms(study, STUDIES[study]["space"], journals[study], shown[study])
            check_same_looks(study, live[0][study], shown[study], "two servers")
    for node in world.nodes:
        node.restart(signal.SIGTERM)
    file = world.folder / "export.jsonl"
    exported = tool("studies", "export", "--format", "study", "--out", file, "--store", world.store)
    if exported.returncode != 0:
        raise Violation(f"the export failed: {exported.stderr}")
    copy = world.folder / "copy.db"
    imported = tool("studies", "import", file, "--store", copy)
    if imported.returncode != 0:
        raise Violation(f"the export cannot be imported: {imported.stderr}")
    for store in (world.store, copy):
        verified = tool("studies", "verify", "--store", store)
        if verified.returncode != 0:
            raise Violation(f"verify: {verified.stdout}{verified.stderr}")
    folder = world.folder / "copy"
    folder.mkdir()
    with Serving(folder, port=free_port(), store=copy) as serving:
        for study in journals:
            again = looks(world.nodes[-1].proxy.port, study, log)
            if study in STUDIES:
                check_same_looks(study, live[0][study], again, "the server before and after a restart")
            check_same_looks(study, again, looks(serving.port, study, log), "the store and a replay of its export")
    return sum(map(len, journals.values()))


def audit(world):
    """Runs `canopy studies verify` while servers write; returns the faults found."""
    done = tool("studies", "verify", "--store", world.store)
    if done.returncode < 0:
        raise Violation(f"verify was ended by signal {-done.returncode}")
    if done.returncode != 0 and not re.search("cannot be reached|is not there", done.stdout + done.stderr):
        raise Violation(f"verify, while servers write: {done.stdout}{done.stderr}")
    return done.returncode == 0
