#!/usr/bin/env python3
"""A service for the example: configured by PUT /config, measured at /metrics.

It does no work. It counts requests and their latencies like a pool of workers that take requests in batches, with
noise: a larger batch serves more requests but makes them wait, and too many workers get in each other's way.
"""

import json
import math
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RANGES = {"workers": (1, 32), "batch": (1, 64)}
BUCKETS = [0.002 * 1.25**i for i in range(24)]  # seconds, up to 0.34
TICK = 0.02


class Service:
    def __init__(self, seed: int):
        self.config = {"workers": 2, "batch": 4}
        self.lock = threading.Lock()
        self.random = random.Random(seed)
        self.requests = 0.0
        self.seconds = 0.0
        self.counts = [0.0] * (len(BUCKETS) + 1)

    def run(self) -> None:
        """Counts what was served since the last tick."""
        last = time.monotonic()
        while True:
            time.sleep(TICK)
            now = time.monotonic()
            with self.lock:
                self.serve(now - last)
            last = now

    def serve(self, elapsed: float) -> None:
        workers, batch = self.config["workers"], self.config["batch"]
        crowd = 1 + (workers / 8) ** 2
        batch_seconds = (0.004 + 0.0002 * batch) * crowd
        served = workers * batch / batch_seconds * elapsed * self.random.lognormvariate(0, 0.3)
        typical = batch_seconds + 0.0005 * batch
        self.requests += served
        before = 0.0
        for i, bucket in enumerate([*BUCKETS, math.inf]):  # latencies are log-normal around the typical one
            below = 0.5 * (1 + math.erf(math.log(bucket / typical) / 0.4 / math.sqrt(2))) if bucket < math.inf else 1.0
            self.counts[i] += served * (below - before)
            before = below
        self.seconds += served * typical * math.exp(0.4**2 / 2)

    def metrics(self) -> str:
        with self.lock:
            lines = ["# TYPE requests_total counter", f"requests_total {self.requests:.3f}"]
            lines.append("# TYPE request_seconds histogram")
            total = 0.0
            for bucket, count in zip([*(f"{bucket:.6f}" for bucket in BUCKETS), "+Inf"], self.counts):
                total += count
                lines.append(f'request_seconds_bucket{{le="{bucket}"}} {total:.3f}')
            lines += [f"request_seconds_sum {self.seconds:.6f}", f"request_seconds_count {total:.3f}"]
        return "\n".join(lines) + "\n"

    def set(self, body: bytes) -> None:
        """Raises ValueError, with what is wrong."""
        given = json.loads(body)
        if not isinstance(given, dict) or set(given) != set(RANGES):
            raise ValueError(f"must be an object with {' and '.join(RANGES)}")
        for name, (low, high) in RANGES.items():
            if type(given[name]) is not int or not low <= given[name] <= high:
                raise ValueError(f"{name} must be a whole number from {low} to {high}")
        with self.lock:
            self.config = given


class Handler(BaseHTTPRequestHandler):
    service: Service
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/metrics":
            self.answer(200, self.service.metrics(), "text/plain; version=0.0.4")
        elif self.path == "/config":
            self.answer(200, json.dumps(self.service.config) + "\n", "application/json")
        else:
            self.answer(404, "try /metrics or /config\n")

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/config":
            self.answer(404, "try /config\n")
            return
        try:
            self.service.set(body)
            self.answer(200, json.dumps(self.service.config) + "\n", "application/json")
        except ValueError as error:
            self.answer(400, f"{error}\n")

    def answer(self, status: int, text: str, content_type: str = "text/plain") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def main() -> None:
    Handler.service = Service(seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    threading.Thread(target=Handler.service.run, daemon=True).start()
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
