"""The program that shares the position: CPU for a fix that is sent over TLS and for one that is left out, and its memory.

    sharing.py LOCATIOND LOCATIOND-SHARE [SECONDS]

The service replays ten fixes a second; the server is the tests' own one, as Traccar.
"""
import json
import os
import pathlib
import plistlib
import subprocess
import sys
import tempfile
import threading
import time

RATE = 10
SERVER = pathlib.Path(__file__).parents[1] / "SharingProgramTests/Server/webhooks"
AUTHORITY = pathlib.Path(__file__).parents[1] / "NetworkPositioningTests/Server/authority.pem"
METRE = 1 / 111_200


def track(fixes, sent):
    """A receiver on its way north: in leaps, of which each has to be sent, or at a speed that says where it will be."""
    for number in range(fixes):
        north = number * 20 if sent else number
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(1_800_000_000 + number // RATE))
        yield json.dumps({
            "class": "TPV", "device": "/dev/recorded", "mode": 3, "time": f"{moment}.{number % RATE * 1000 // RATE:03}Z",
            "lat": 47 + north * METRE, "lon": 9.5, "altMSL": 450.0, "eph": 4.0} | ({} if sent else {
                "speed": float(RATE), "track": 0.0})) + "\n"


def processor_time(process):
    """The CPU time of a process with the threads that have ended, in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process << 3 | 2)


def memory(process):
    """The proportional memory of a process in MB."""
    text = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
    return int(text.split("\nPss:")[1].split()[0]) / 1000


def measure(locationd, share, seconds, sent, keeps):
    """CPU in seconds and fixes in some seconds, messages in them, and memory."""
    with tempfile.TemporaryDirectory() as root:
        pathlib.Path(root, "clients.d").mkdir()
        declaration = {
            "CFBundleIdentifier": "org.locationd.share", "NSLocationWhenInUseUsageDescription": "For a benchmark.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For a benchmark.", "Match": {"Executable": share},
            "Policy": {"PresetAuthorization": "always"}}
        pathlib.Path(root, "clients.d/org.locationd.share.plist").write_bytes(plistlib.dumps(declaration))
        pathlib.Path(root, "locationd.plist").write_bytes(plistlib.dumps({"ClientDirectories": [f"{root}/clients.d"]}))
        pathlib.Path(root, "track.json").write_text("".join(track((seconds + 60) * RATE, sent)))
        environment = os.environ | {"LOCATIOND_SOCKET": f"{root}/socket", "XDG_STATE_HOME": f"{root}/state"}
        service = subprocess.Popen(
            [locationd, "--config", f"{root}/locationd.plist", "--socket", f"{root}/socket", "--state-directory", root,
             "--replay", f"{root}/track.json"], stderr=subprocess.PIPE, text=True)
        server = subprocess.Popen([sys.executable, SERVER], stdout=subprocess.PIPE, text=True)
        program = None
        try:
            for line in service.stderr:
                if " listens at " in line:
                    break
            threading.Thread(target=service.stderr.read, daemon=True).start()
            access = f"https://localhost:{int(server.stdout.readline())}\nvan-0a1b\n"
            messages = []
            threading.Thread(target=lambda: messages.extend(iter(server.stdout.readline, "")), daemon=True).start()

            def run(*arguments, text=None):
                subprocess.run([share, *arguments], env=environment, input=text, text=True, check=True, stdout=subprocess.DEVNULL)

            run("add", "home", "traccar", "--ca", AUTHORITY, text=access)
            run("start", "home", "--no-service", "--maximum-interval", "1h", *(["--keep-unsent"] if keeps else []))
            program = subprocess.Popen([share, "run"], env=environment, stderr=subprocess.DEVNULL)
            while not messages:
                time.sleep(0.1)
            time.sleep(2)
            start, used, count = time.time(), processor_time(program.pid), len(messages)
            time.sleep(seconds)
            used = processor_time(program.pid) - used
            return used, (time.time() - start) * RATE, len(messages) - count, memory(program.pid)
        finally:
            for process in filter(None, [program, service, server]):
                process.terminate()
                process.wait()


def main():
    locationd, share = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    missed = 0
    for name, sent, keeps, aim in [
            ("sent", True, False, 500), ("kept and sent", True, True, 500), ("left out", False, False, 20)]:
        used, fixes, messages, pss = measure(locationd, share, seconds, sent, keeps)
        # A fix that was not sent is no measure of one that was.
        is_valid = messages > 0.9 * fixes if sent else messages <= 1
        cost = used / (messages if sent else fixes) * 1e6
        is_reached = is_valid and cost <= aim and pss <= 9
        missed += not is_reached
        print(f"{name:14} {cost:5.0f} µs a fix, aim ≤ {aim} µs; {messages} messages of {fixes:.0f} fixes; PSS {pss:.1f} MB, aim ≤ 9 MB: "
              + ("yes" if is_reached else "NO"))
    sys.exit(missed > 0)


main()
