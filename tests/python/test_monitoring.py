"""The dashboard and the alerts in packaging: their queries are answered by a real Prometheus from exported metrics."""

import contextlib
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
import yaml

from service import Serving, free_port

STUDY = {"name": "a", "toml": '[[space]]\nname = "x"\nlow = 0.0\nhigh = 1.0'}


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def get(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read().decode()


def post(server, path, body):
    url, content = server.url + "/v1/studies" + path, json.dumps(body).encode()
    request = urllib.request.Request(url, content, {"Content-Type": "application/json"})
    try:
        return json.loads(get(request))
    except urllib.error.HTTPError as error:
        return json.load(error)


def tuner_metrics(root, value):
    """The metrics that the file of `canopy tune --metrics` may have."""
    names = re.findall(r'add_gauge\(text, "(\w+)"', read(root / "src/cli/tune_status.cpp"))
    assert "best_mean" in names
    return "".join(f'canopy_{name}{{study="a"}} {value}\n' for name in names)


def labels_by_metric(text):
    """The labels of each metric, and the values of each label."""
    found = {}
    for name, labels in re.findall(r"^(canopy_\w+)(?:\{(.*)\})? ", text, re.MULTILINE):
        seen = found.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels):
            seen.setdefault(label, set()).add(value)
    return found


def panels(root):
    dashboard = json.loads(read(root / "packaging/grafana/canopy.json"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]


def expressions(root):
    """Each query of the dashboard and of the alerts."""
    dashboard = json.loads(read(root / "packaging/grafana/canopy.json"))
    variables = [each["query"]["query"] for each in dashboard["templating"]["list"] if each["type"] == "query"]
    alerts = yaml.safe_load(read(root / "packaging/prometheus/alerts.yml"))
    return [*panels(root), *variables, *(rule["expr"] for group in alerts["groups"] for rule in group["rules"])]


def test_dashboard_and_alerts_ask_for_what_is_exported(root, tmp_path):
    with Serving(tmp_path) as server:
        post(server, "", STUDY)
        post(server, "/a/asks", {})
        served = labels_by_metric(get(server.url + "/metrics"))
    exported = served | labels_by_metric(tuner_metrics(root, 1))
    of_prometheus = {"job", "instance", "study"}
    asked = set()
    for expression in expressions(root):
        names = re.findall(r"\b(canopy_\w+)", expression)
        assert set(names) <= set(exported), expression
        asked |= set(names)
        for name, labels in re.findall(r"\b(canopy_\w+)\{([^}]*)\}", expression):
            for label, comparison, value in re.findall(r'(\w+)(=~|=)"([^"]*)"', labels):
                if label in of_prometheus:
                    continue
                values = exported[name].get(label, set())
                assert values, f"{name} has no label {label}: {expression}"
                matches = re.compile(value if comparison == "=~" else re.escape(value)).fullmatch
                assert label == "status" or any(map(matches, values)), f"{label} {value}: {expression}"
        for grouped in re.findall(r"\bby \(([^)]*)\)", expression):
            allowed = of_prometheus.union(*(exported[name] for name in names))
            assert set(re.split(r",\s*", grouped)) <= allowed, expression
    unused = {
        name for name in served if not asked & {name, *(name.rsplit("_", 1)[0] + end for end in ("_bucket", "_sum"))}
    }
    assert not unused, "the dashboard leaves something out"


def test_alerts_fire_when_they_should(root):
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    for words in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(
            [promtool, *words], cwd=root / "packaging/prometheus", capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stdout + done.stderr


@contextlib.contextmanager
def exporter(root):
    """Like node_exporter: serves the file of a tuner, whose counters increase."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(tuner_metrics(root, time.monotonic()).encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{serving.server_port}"
        serving.shutdown()


@contextlib.contextmanager
def prometheus(root, folder, targets):
    """A Prometheus that reads the targets and the alerts."""
    settings = {
        "global": {"scrape_interval": "200ms", "evaluation_interval": "200ms"},
        "rule_files": [str(root / "packaging/prometheus/alerts.yml")],
        "scrape_configs": [{"job_name": "canopy", "static_configs": [{"targets": targets}]}],
    }
    (folder / "prometheus.yml").write_text(json.dumps(settings))
    address = f"127.0.0.1:{free_port()}"
    words = [
        "prometheus",
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=data",
        f"--web.listen-address={address}",
    ]
    with (
        (folder / "prometheus.log").open("w") as log,
        subprocess.Popen(words, cwd=folder, stdout=log, stderr=log) as process,
    ):
        try:
            yield f"http://{address}/api/v1"
        finally:
            process.terminate()


def has_answer(address, query):
    """Whether Prometheus has a value for a query, which it may only have some time after its start."""
    for name, value in {"$__rate_interval": "5s", "$job": ".*", "$instance": ".*", "$study": ".*"}.items():
        query = query.replace(name, value)
    try:
        found = json.loads(get(f"{address}/query?" + urllib.parse.urlencode({"query": query})))["data"]["result"]
    except urllib.error.HTTPError as error:
        assert error.code == 503, f"{query}: {error.read().decode()}"
        return False
    except urllib.error.URLError:
        return False
    return any(each["value"][1] != "NaN" for each in found)


def test_a_real_prometheus_answers_each_query_of_the_dashboard(root, tmp_path):
    if shutil.which("prometheus") is None:
        pytest.skip("prometheus is not installed")
    queries = set(panels(root))
    with (
        Serving(tmp_path) as server,
        exporter(root) as tuner,
        prometheus(root, tmp_path, [server.url.partition("//")[2], tuner]) as address,
    ):
        post(server, "", STUDY)
        deadline = time.monotonic() + 60
        while queries:
            assert time.monotonic() < deadline, (sorted(queries), read(tmp_path / "prometheus.log"))
            (ticket,) = post(server, "/a/asks", {})["tickets"]
            post(server, "/a/tells", {"tells": [{"ticket": ticket["ticket"], "reward": 0.5}]})
            post(server, "/a/asks", {"count": 0})  # is refused
            queries -= {query for query in queries if has_answer(address, query)}
        groups = json.loads(get(address + "/rules"))["data"]["groups"]
        assert {rule["health"] for group in groups for rule in group["rules"]} <= {"ok", "unknown"}, groups
