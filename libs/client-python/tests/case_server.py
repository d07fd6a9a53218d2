"""A server on loopback that plays the exchanges of a case, and records what it is asked."""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]


class CaseServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.responses: Sequence[Json] = []
        self.requests: list[Json] = []
        self.stopped = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def plays(self, responses: Sequence[Json]) -> None:
        self.responses, self.requests = responses, []

    def stop(self) -> None:
        self.stopped.set()
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: CaseServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _play(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode()
        received = {
            "request": f"{self.command} {self.path}",
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": json.loads(body) if body else None,
        }
        place = len(self.server.requests)
        self.server.requests.append(received)
        unplanned: Json = {"status": 500, "headers": {}, "text": "not planned"}
        response = self.server.responses[place] if place < len(self.server.responses) else unplanned
        self.close_connection = True
        fault = response.get("fault")
        if fault == "refused":
            return
        content = response["text"].encode()
        self.send_response(response.get("status", 200))
        for name, value in {"content-type": "application/json", **response["headers"]}.items():
            self.send_header(name, value)
        self.send_header("connection", "close")
        # One without its proper end is of a length that never comes.
        self.send_header("content-length", str(len(content) + (1 if fault else 0)))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()
        if fault == "stalled":
            self.server.stopped.wait()

    do_GET = do_POST = do_PUT = do_DELETE = _play

    def log_message(self, format: str, *args: Any) -> None:
        pass
