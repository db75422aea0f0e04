"""A firewall adapter that the reactions of the parental-control design call, and policies that trigger them."""

import http.server
import json
import threading


class Firewall:
    """Listens on a free port. `answer(body)` returns (status, reply); every call is recorded as (status, its key, body)."""

    def __init__(self):
        self.calls = []
        self.types = set()      # Content-Types
        self.answer = lambda body: (200, {})
        firewall = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status, reply = firewall.answer(body)
                firewall.calls.append((status, self.headers["Idempotency-Key"], body))
                firewall.types.add(self.headers["Content-Type"])
                data = json.dumps(reply).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass        # the caller was killed meanwhile

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/rules"

    def of(self, phone):
        return [call for call in list(self.calls) if call[2].get("childPhoneNumber") == phone]


def app(name):
    return {"appName": name, "ports": [{"port": 443, "protocol": "TCP"}], "domains": [f"*.{name.lower()}.com"],
            "ipRanges": []}


def policy(phone, *apps, **more):
    return dict(childPhoneNumber=phone, parentEmail="p@example.com", blockedApps=[app(name) for name in apps],
                timeWindows=[{"startTime": "22:00", "endTime": "06:00", "days": ["MON"]}], **more)
