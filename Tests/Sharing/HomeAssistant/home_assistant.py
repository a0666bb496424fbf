"""A real Home Assistant, without a browser: installed from PyPI once, started with an account and the integration OwnTracks.

Home Assistant installs what an integration needs when it is first set up, so the first start takes some minutes.
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
ENVIRONMENT = REPOSITORY / ".build/home-assistant"
# The last release for the version of Python in Debian 12.
RELEASES = {(3, 11): "2024.3.3"}
CONFIGURATION = """\
homeassistant:
  name: Test
  latitude: 47.14
  longitude: 9.52
  elevation: 450
  unit_system: metric
  time_zone: UTC
  external_url: http://127.0.0.1:{port}
  internal_url: http://127.0.0.1:{port}
http:
  server_host: 127.0.0.1
  server_port: {port}
frontend:
api:
logger:
  default: error
"""


class Unavailable(Exception):
    """Home Assistant cannot be installed here, with the reason."""


def install():
    """Installs Home Assistant, unless it is there."""
    program = ENVIRONMENT / "bin/hass"
    if (ENVIRONMENT / "ready").exists():
        return program
    release = RELEASES.get(sys.version_info[:2])
    if not release:
        raise Unavailable(f"no release of Home Assistant is known for Python {sys.version_info[0]}.{sys.version_info[1]}")
    for command in [[sys.executable, "-m", "venv", ENVIRONMENT],
                    [ENVIRONMENT / "bin/pip", "install", "-q", "wheel", f"homeassistant=={release}", "josepy<2", "PyNaCl==1.5.0"]]:
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise Unavailable(f"{command[0]} has failed: {result.stderr.strip().splitlines()[-1:]}")
    (ENVIRONMENT / "ready").touch()
    return program


class HomeAssistant:
    """A running Home Assistant with files of its own in a directory; a context manager that ends it."""

    def __init__(self, directory):
        self.program = install()
        self.directory = pathlib.Path(directory)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.token = None

    def __enter__(self):
        (self.directory / "configuration.yaml").write_text(CONFIGURATION.format(port=self.port))
        self.log = open(self.directory / "start.log", "w")
        self.process = subprocess.Popen(
            [self.program, "-c", self.directory], stdout=self.log, stderr=self.log,
            env=os.environ | {"PATH": f"{ENVIRONMENT}/bin:" + os.environ["PATH"]})
        try:
            self.set_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def call(self, path, body=None, form=False):
        """One request: the status and the answer's text."""
        headers = {"Content-Type": "application/x-www-form-urlencoded" if form else "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None if body is None else (urllib.parse.urlencode(body) if form else json.dumps(body)).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address + path, data, headers), timeout=300) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def until(self, what, condition, seconds=420):
        """The first result of a condition that is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"Home Assistant has ended: {(self.directory / 'start.log').read_text()[-2000:]}")
            try:
                if result := condition():
                    return result
            except OSError:
                pass
            time.sleep(0.2)
        raise AssertionError(f"awaited in vain: {what}")

    def set_up(self):
        # Recovery mode answers /api/ much earlier.
        self.until("the start", lambda: self.call("/api/onboarding")[0] == 200)
        account = {"client_id": self.address + "/", "name": "Test", "username": "test", "password": "test", "language": "en"}

        def register():
            status, text = self.call("/api/onboarding/users", account)
            return status == 200 and text

        code = json.loads(self.until("the first account", register))["auth_code"]
        _, text = self.call(
            "/auth/token", {"client_id": self.address + "/", "grant_type": "authorization_code", "code": code}, form=True)
        self.token = json.loads(text)["access_token"]
        for step in ("core_config", "analytics"):
            self.call("/api/onboarding/" + step, {})

        def flow():
            status, text = self.call("/api/config/config_entries/flow", {"handler": "owntracks"})
            return status == 200 and text

        flow_id = json.loads(self.until("the integration OwnTracks", flow))["flow_id"]
        _, text = self.call("/api/config/config_entries/flow/" + flow_id, {})
        self.webhook = json.loads(text)["description_placeholders"]["webhook_url"]

    def add_broker(self, port):
        """Adds the integration MQTT, with a broker of this machine."""
        def flow():
            status, text = self.call("/api/config/config_entries/flow", {"handler": "mqtt"})
            return status == 200 and text

        flow_id = json.loads(self.until("the integration MQTT", flow))["flow_id"]
        status, text = self.call("/api/config/config_entries/flow/" + flow_id, {"broker": "127.0.0.1", "port": port})
        if status != 200 or json.loads(text)["type"] != "create_entry":
            raise AssertionError(f"the integration MQTT: {text}")

    def tracker(self, name):
        """The state and the latitude of a tracker; `None` if there is none."""
        status, text = self.call("/api/states/device_tracker." + name)
        if status != 200:
            return None
        state = json.loads(text)
        return state["state"], state["attributes"].get("latitude")
