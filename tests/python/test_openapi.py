"""The OpenAPI document: valid, complete, and consistent with the answers of a real server."""

import json
import urllib.error
import urllib.request

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from service import Serving

SPACE = [
    {"name": "ttl", "low": 1.0, "high": 3600.0, "scale": "log"},
    {"name": "workers", "type": "integer", "low": 1, "high": 8},
    {"name": "policy", "type": "choice", "choices": ["lru", "lfu"]},
]
SOME_STUDY = {"name": "cache", "specification": {"space": SPACE}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Serving(tmp_path_factory.mktemp("openapi")) as serving:
        yield serving


@pytest.fixture(scope="module")
def document(server):
    with urllib.request.urlopen(server.url + "/openapi.json") as answer:
        return json.load(answer)


class Caller:
    """Asks the server and compares each answer with the description of the operation."""

    def __init__(self, server, document):
        self.url = server.url
        self.document = document
        resource = Resource(contents=document, specification=DRAFT202012)
        self.registry = Registry().with_resource("urn:canopy", resource)

    def pattern_of(self, path):
        parts = path.partition("?")[0].split("/")
        if len(parts) > 3:
            parts[3] = "{name}"
        return "/".join(parts)

    def check(self, schema, value):
        """Checks a value against a schema of the document."""
        place = {"$ref": "urn:canopy#" + schema}
        error = best_match(Draft202012Validator(place, registry=self.registry).iter_errors(value))
        assert error is None, f"{error.json_path}: {error.message}"

    def __call__(self, method, path, body=None, **headers):
        operation = self.document["paths"][self.pattern_of(path)][method.lower()]
        data = None if body is None else json.dumps(body).encode()
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                status, type_, text = answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            status, type_, text = error.code, error.headers["Content-Type"], error.read()
        assert str(status) in operation["responses"], f"{method} {path}: {status} is not in the document: {text!r}"
        if status == 204:
            assert text == b""
            return status, None
        at = ["paths", self.pattern_of(path), method.lower(), "responses", str(status)]
        response = operation["responses"][str(status)]
        if "$ref" in response:
            at = response["$ref"].split("/")[1:]
            response = self.document["components"]["responses"][at[-1]]
        assert type_ in response["content"], f"{method} {path}: {type_}"
        value = json.loads(text)
        at += ["content", type_, "schema"]
        self.check("/" + "/".join(part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
                                  for part in at), value)  # fmt: skip
        return status, value


@pytest.fixture(scope="module")
def call(server, document):
    return Caller(server, document)


@pytest.fixture(scope="module")
def study(call):
    """A study with a bit of everything."""
    assert call("POST", "/v1/studies", SOME_STUDY)[0] == 201
    assert call("POST", "/v1/studies", SOME_STUDY)[0] == 200
    for i in range(30):
        _, asked = call("POST", "/v1/studies/cache/asks", {"pulls": 1, "count": 2})
        first, second = (each["ticket"] for each in asked["tickets"])
        call("POST", "/v1/studies/cache/tells", {"tells": [{"ticket": first, "reward": i % 7}]})
        call("POST", "/v1/studies/cache/tells", {"tells": [{"ticket": second, "rewards": [i % 5]}]})
    return "/v1/studies/cache"


def test_the_document_is_valid_openapi(document):
    validate(document)


def test_every_operation_says_which_role_it_needs(document):
    open_to_all = set()
    for path, item in document["paths"].items():
        for method in item.keys() - {"parameters"}:
            operation = item[method]
            assert operation["operationId"] and operation["summary"] and operation["description"]
            assert operation.get("x-role") in (None, "read", "work", "admin")
            assert ("x-role" in operation) == ("401" in operation["responses"])
            if "x-role" not in operation:
                assert operation["security"] == []
                open_to_all.add(path)
    assert open_to_all == {"/healthz", "/readyz", "/openapi.json", "/", "/page/{name}"}


def test_every_reference_leads_somewhere(document):
    def references(value):
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            for each in value.values():
                yield from references(each)
        elif isinstance(value, list):
            for each in value:
                yield from references(each)

    used = set(references(document))
    for reference in used:
        kind, name = reference.removeprefix("#/components/").split("/")
        assert name in document["components"][kind], reference
    everything = {f"#/components/{kind}/{name}" for kind, items in document["components"].items() for name in items}
    assert everything - used == {"#/components/securitySchemes/bearer"}


def test_examples_fit_their_schemas(document, call):
    def examples(value, at):
        if isinstance(value, dict):
            if "schema" in value and "example" in value:
                yield at + "/schema", value["example"]
            if "schema" in value and "examples" in value:
                yield from ((at + "/schema", each["value"]) for each in value["examples"].values())
            for key, each in value.items():
                escaped = key.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
                yield from examples(each, f"{at}/{escaped}")
        elif isinstance(value, list):
            for i, each in enumerate(value):
                yield from examples(each, f"{at}/{i}")

    found = list(examples(document["paths"], "/paths")) + list(examples(document["components"], "/components"))
    for name, schema in document["components"]["schemas"].items():
        found += [(f"/components/schemas/{name}", each) for each in schema.get("examples", [])]
        found += [(f"/components/schemas/{name}", schema["example"])] if "example" in schema else []
    assert len(found) > 50
    for at, example in found:
        call.check(at, example)


def test_lists_and_single_studies_are_as_documented(call, study):
    assert [each["name"] for each in call("GET", "/v1/studies")[1]["studies"]] == ["cache"]
    none = call("GET", "/v1/studies?limit=1&after=zzz")[1]
    assert (none["studies"], none["next"]) == ([], None)
    assert call("GET", f"{study}/glance")[1]["spark"]
    assert call("GET", study)[1]["specification"]["optimizer"]["name"] == "adaptive"


def test_looking_is_as_documented(call, study):
    for what in (
        "asks",
        "best",
        "summary",
        "tree",
        "estimate?points=5",
        "estimate?points=5&x=ttl&y=policy",
        "commands",
    ):
        assert call("GET", f"{study}/{what}")[0] == 200
    for what in ("history", "history?by=time&buckets=3", "history?from=3&to=9", "arms", "arms?limit=2",
                 "tree?limit=7&cells=true", "specification", "knobs"):  # fmt: skip
        assert call("GET", f"{study}/{what}")[0] == 200
    assert call("GET", f"{study}/summary")[1]["learnt"]["shares"].keys() == {"ttl", "workers", "policy"}
    assert call("GET", f"{study}/events?limit=3")[1]["next"] == 3
    newest = call("GET", f"{study}/events?order=newest&kinds=tell&limit=3")[1]
    assert [each["kind"] for each in newest["events"]] == ["tell", "tell", "tell"]
    assert newest["next"] == newest["events"][-1]["number"]
    assert len(call("GET", f"{study}/events")[1]["events"]) >= 120


def test_who_asks_and_checks_are_as_documented(call):
    assert call("GET", "/v1/me")[1]["role"] == "admin"
    good = call("POST", "/v1/checks", {"toml": '[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0'})[1]
    assert good["ok"] and good["specification"]["optimizer"]["name"] == "adaptive"
    assert call("POST", "/v1/checks", {"specification": good["specification"]})[1]["ok"]
    wrong = call("POST", "/v1/checks", {"toml": '[[space]]\nname = "x"\nlow = 2.0\nhigh = 1.0'})[1]
    assert [(each["line"], each["field"]) for each in wrong["errors"]] == [(3, "space.x.low")]


def test_checks_of_forks_and_the_options_of_a_study_are_as_documented(call, study):
    draft = call("POST", "/v1/checks", {"fork_of": "cache", "name": "cache"})[1]
    assert [each["field"] for each in draft["errors"]] == ["name"]
    assert draft["fork"]["begins_with"] == "journal"
    again = call("POST", "/v1/checks", {"fork_of": "cache", "specification": draft["given"]})[1]
    assert again["ok"] and again["specification"] == draft["specification"]
    options = call("GET", f"{study}/specification")[1]["options"]["optimizer"]
    assert options and all(each["is_default"] for each in options)
    assert call("GET", "/v1/catalogue")[1]["defaults"]["optimizer"] == "adaptive"


def test_every_kind_of_tell_is_as_documented(call, study):
    _, asked = call("POST", f"{study}/asks", {"pulls": 1, "count": 5, "lease_seconds": 60})
    one, several, sums, failure, dropped = (each["ticket"] for each in asked["tickets"])
    tells = [
        {"ticket": one, "reward": 1.5},
        {"ticket": several, "rewards": [2.5]},
        {"ticket": sums, "count": 1, "sum": 2.0, "sum_squares": 4.0, "min": 2.0, "max": 2.0},
        {"ticket": failure, "failed": True, "reward": -1.0},
        {"ticket": one, "reward": 1.5},
    ]
    status, told = call("POST", f"{study}/tells", {"tells": tells})
    assert status == 200
    assert [each.get("ok", False) for each in told["results"]] == [True, True, True, True, False]
    assert told["results"][4]["error"]["code"] == "closed_ticket"
    assert call("POST", f"{study}/drops", {"tickets": [dropped]}) == (200, {"results": [{"ok": True}]})
    arm = {"ttl": 60.0, "workers": 2, "policy": "lru"}
    assert call("POST", f"{study}/observations", {"observations": [{"arm": arm, "rewards": [1, 2]}]})[0] == 200
    assert call("POST", f"{study}/bars", {"bars": [{"arm": arm}]})[0] == 200
    kinds = {each["kind"] for each in call("GET", f"{study}/events?limit=10000")[1]["events"]}
    assert kinds >= {"ask", "tell", "penalize", "drop", "observe", "bar"}


def test_refusals_are_as_documented(call, study):
    assert call("GET", "/v1/studies/nix/best")[0] == 404
    assert call("GET", "/v1/studies?limit=0")[0] == 422
    assert call("POST", f"{study}/asks", {"count": 0})[1]["code"] == "wrong_type"
    assert call("POST", f"{study}/tells", {"tells": [{"ticket": "1-0", "reward": 1}]})[1]["code"] == "gone"
    assert call("POST", "/v1/studies", {"name": "cache", "specification": {"space": SPACE[:1]}})[1]["code"] == "differs"
    assert call("POST", "/v1/studies", {"name": "a/b", "specification": {"space": SPACE}})[1]["code"] == "bad_name"
    assert call("GET", f"{study}/best", Host="example.com")[1]["code"] == "wrong_host"
    key = {"Idempotency-Key": "once"}
    assert call("POST", f"{study}/asks", {"pulls": 1}, **key) == call("POST", f"{study}/asks", {"pulls": 1}, **key)
    assert call("POST", f"{study}/asks", {"pulls": 2}, **key)[1]["code"] == "reused_key"


def test_steering_and_tuners_are_as_documented(call, study):
    assert call("POST", "/v1/studies", {**SOME_STUDY, "name": "steered"})[0] == 201
    at = "/v1/studies/steered"
    assert call("GET", f"{at}/best")[1]["code"] == "no_best"
    assert call("GET", f"{at}/snapshot")[1]["code"] == "no_snapshot"
    assert call("PUT", f"{at}/tuner", {"tuner": "mine", "holder": "pid 1 on host"})[1]["seconds"] == 10
    assert call("POST", f"{at}/asks")[1]["code"] == "open_elsewhere"
    start = {"tuner": "mine", "after": 0, "events": [{"kind": "start", "earlier_seconds": 0}]}
    assert call("POST", f"{at}/tuner-events", start) == (200, {"events": 1})
    assert call("PUT", f"{at}/snapshot")[0] == 204
    assert call("GET", f"{at}/snapshot")[1]["events"] == 1
    assert call("POST", f"{at}/tuner-events", {**start, "after": 7})[1]["code"] == "moved_on"
    assert call("DELETE", f"{at}/tuner?tuner=mine")[0] == 204
    ranged = {"space": SPACE, "reward_range": [0, 10]}
    assert call("PUT", f"{at}/specification", {"specification": ranged})[0] == 204
    assert call("POST", f"{at}/commands", {"command": "confirm"})[1]["code"] == "no_baseline"
    assert call("POST", f"{at}/commands", {"command": "end"})[0] == 201
    assert call("GET", f"{at}/commands")[1]["commands"][0]["command"] == "end"
    assert call("POST", f"{at}/asks")[1]["code"] == "ended"
    kinds = [each["kind"] for each in call("GET", f"{at}/events")[1]["events"]]
    assert kinds == ["start", "range", "command"]
    assert call("DELETE", at)[0] == 204
    for path in ("/healthz", "/readyz"):
        assert call("GET", path)[0] == 200
