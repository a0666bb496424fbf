#!/usr/bin/python3
"""A web page that asks where it is, in a browser: page.py PORT COMMAND... serves it on 127.0.0.1, runs the browser with its
address in the place of URL, and prints what the page hears: `position LATITUDE LONGITUDE`, or `error` and its number."""
import http.server
import json
import subprocess
import sys
import threading

PAGE = b"""<!doctype html><title>Where am I?</title><body style="font: 24px sans-serif; margin: 3em">
<h1>Where am I?</h1><p id="answer">&hellip;</p><script>
const say = what => {
  document.getElementById('answer').textContent = what.join(' ');
  fetch('/said', {method: 'POST', body: JSON.stringify(what)});
};
navigator.geolocation.watchPosition(
  place => say(['position', String(place.coords.latitude), String(place.coords.longitude)]),
  error => say(['error', error.code]), {enableHighAccuracy: true, maximumAge: 0});
</script>"""


class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.answer(PAGE if self.path == "/" else b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/network":
            # What a browser that asks somebody else hears of where it is.
            print("asked the network", flush=True)
            return self.answer(b'{"location": {"lat": 1.0, "lng": 2.0}, "accuracy": 5000}')
        words = json.loads(body)
        # What the page calls not known is not a number to those who read this.
        print(*("nan" if word in ("null", "NaN") else word for word in words), flush=True)
        self.answer(b"")


port = int(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
command = [part.replace("URL", f"http://127.0.0.1:{port}/") for part in sys.argv[2:]]
with open("/tmp/browser.log", "ab") as log:
    sys.exit(subprocess.call(command, stdout=log, stderr=log))
