"""Programs of gpsd at the service, beside gpsd itself: CPU, and when the last of them has a fix.

    gpsd.py LOCATIOND [SECONDS]

Both are fed by the same gpsd, which reads ten fixes a second. Needs gpsd, and a limit of 4,096 open files.
"""
import os
import pathlib
import plistlib
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time

RATE = 10
GPSD, FEED, SERVICE = 3947, 20999, 2992
WATCH = b'?WATCH={"enable":true,"json":true};\n'


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def feed():
    """Sends fixes of a receiver on its way north until it is ended."""
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    start, number = time.time(), 0
    while True:
        now = time.time()
        clock = time.strftime("%H%M%S", time.gmtime(now)) + f".{int(now * 100) % 100:02}"
        place = f"{4807 + number % 1000 * 1e-4:.4f},N,01131.0000,E"
        date = time.strftime("%d%m%y", time.gmtime(now))
        text = sentence(f"GPRMC,{clock},A,{place},010.0,084.4,{date},,,A")
        text += sentence(f"GPGGA,{clock},{place},1,08,0.9,545.4,M,46.9,M,,")
        receiver.sendto(text.encode(), ("127.0.0.1", FEED))
        number += 1
        time.sleep(max(0, start + number / RATE - time.time()))


def processor_time(process):
    """The CPU time of all threads of a process, in seconds."""
    return sum(int((thread / "schedstat").read_text().split()[0])
               for thread in pathlib.Path(f"/proc/{process}/task").iterdir()) / 1e9


def memory(process):
    """The resident memory of a process in kB."""
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


def measure(port, process, count, seconds):
    """CPU in seconds, fixes received, and the median time from the first program that has a fix to the last."""
    selector, programs = selectors.DefaultSelector(), []
    for _ in range(count):
        program = socket.create_connection(("127.0.0.1", port), timeout=5)
        program.sendall(WATCH)
        program.setblocking(False)
        selector.register(program, selectors.EVENT_READ)
        programs.append(program)
    start = used = None
    fixes, arrivals = 0, {}
    settled = time.time() + 2.5
    while start is None or time.time() < start + seconds:
        if start is None and time.time() > settled:
            start, used = time.time(), processor_time(process)
        for key, _ in selector.select(0.1):
            data = key.fileobj.recv(65536)
            if start is None or b'"lat"' not in data:
                continue
            fixes += data.count(b'"lat"')
            at = data.rfind(b'"time":"')
            arrivals.setdefault(data[at:at + 32], []).append(time.time())
    used = processor_time(process) - used
    for program in programs:
        program.close()
    complete = [times[-1] - times[0] for times in arrivals.values() if len(times) == count]
    return used, fixes, statistics.median(complete)


def main(service, seconds):
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        (directory / "clients").mkdir()
        (directory / "clients/org.example.plist").write_bytes(plistlib.dumps({
            "CFBundleIdentifier": "org.example", "NSLocationWhenInUseUsageDescription": "Measures.",
            "Match": {"Executable": os.path.realpath(sys.executable)},
            "Policy": {"PresetAuthorization": "always", "MaximumAuthorization": "always"}}))
        (directory / "locationd.plist").write_bytes(plistlib.dumps({
            "ClientDirectories": [f"{directory}/clients"], "GPSD": {"Host": "127.0.0.1", "Port": GPSD}}))
        processes = []
        try:
            processes.append(subprocess.Popen([sys.executable, __file__, "feed"]))
            processes.append(subprocess.Popen(
                ["gpsd", "-N", "-n", "-S", str(GPSD), f"udp://127.0.0.1:{FEED}"], stderr=subprocess.DEVNULL))
            time.sleep(1)
            processes.append(subprocess.Popen(
                [service, "--config", f"{directory}/locationd.plist", "--socket", f"{directory}/socket",
                 "--state-directory", str(directory), "--gpsd-listen", str(SERVICE)], stderr=subprocess.DEVNULL))
            time.sleep(1)
            gpsd, locationd = processes[1].pid, processes[2].pid
            servers = [("gpsd", GPSD, gpsd, [1, 50]), ("locationd", SERVICE, locationd, [1, 50, 1000])]
            for name, port, process, counts in servers:
                for count in counts:
                    used, fixes, last = measure(port, process, count, seconds)
                    print(f"{name:10} {count:5} programs {used / fixes * 1e6:7.1f} µs of CPU a fix "
                          f"{last * 1e3:7.2f} ms to the last {memory(process):6} kB", flush=True)
        finally:
            for process in processes:
                process.terminate()
                process.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["feed"]:
        feed()
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
