"""The recorder of a fleet: rows a second from a broker into the database, and the time of four questions to many rows.

    fleet_recorder.py LOCATIOND-FLEET-RECORDER [MESSAGES] [ROWS]

The messages wait at the broker, a Mosquitto, while the recorder is away; the time is that from its start until the last is in the table.
"""
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import paho.mqtt.client as mqtt

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Sharing"))
from postgresql import Cluster  # noqa: E402

LIMIT = 600
VEHICLES = 300


class Database(Cluster):
    """One with the settings that a server would have for this."""

    def __init__(self, directory):
        super().__init__(directory)
        self.process = subprocess.Popen(self.server("shared_buffers=512MB", "max_wal_size=4GB"), stderr=subprocess.DEVNULL)
        wait_for(lambda: subprocess.run(["pg_isready", "-q", "-h", directory]).returncode == 0)
        self.create()

    def time(self, statement):
        """The milliseconds that the server takes, the least of five times."""
        plans = [json.loads(self.ask(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}"))[0] for _ in range(5)]
        return min(plan["Planning Time"] + plan["Execution Time"] for plan in plans)


def wait_for(condition):
    end = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("It did not happen in time")
        time.sleep(0.02)


def publish(socket, count):
    client = mqtt.Client(protocol=mqtt.MQTTv5)
    client.max_inflight_messages_set(2000)
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", socket)
    client.loop_start()
    start = int(time.time()) - count // VEHICLES - 60
    for number in range(count):
        second, vehicle = divmod(number, VEHICLES)
        message = client.publish(f"owntracks/fleet/v{vehicle}", json.dumps({
            "_type": "location", "tst": start + second, "lat": 48 + vehicle / 1000, "lon": 16 + second * 1e-5, "acc": 5, "vel": 36,
            "cog": 90}), qos=1)
        # MQTT has numbers for 65,535 messages that are not acknowledged.
        if number % 50_000 == 49_999:
            message.wait_for_publish(LIMIT)
    message.wait_for_publish(LIMIT)
    client.disconnect()


def main():
    program, messages, rows = sys.argv[1], int((sys.argv[2:] or [200_000])[0]), int((sys.argv[3:] or [6_000_000])[0])
    directory = pathlib.Path(tempfile.mkdtemp())
    running = []
    try:
        database = Database(directory)
        running.append(database.process)
        port = 18_000 + os.getpid() % 10_000
        settings = directory / "mosquitto.conf"
        settings.write_text(
            f"listener {port} 127.0.0.1\nlistener 0 {directory}/socket\nallow_anonymous true\nmax_queued_messages 0\nuser root\n")
        running.append(subprocess.Popen(["mosquitto", "-c", settings], stderr=subprocess.DEVNULL))

        def record():
            process = subprocess.Popen([program, "record", "--broker", directory / "socket", "--database", database.address],
                                       stderr=subprocess.PIPE, text=True)
            running.append(process)
            while "Recording" not in (line := process.stderr.readline()):
                assert line, "the recorder has ended"
            return process

        recorder = record()
        recorder.kill()
        recorder.wait()
        publish(port, messages)
        start = time.monotonic()
        recorder = record()
        wait_for(lambda: database.ask("SELECT count(*) FROM fleet.position") == str(messages))
        seconds = time.monotonic() - start
        ticks = sum(int(field) for field in pathlib.Path(f"/proc/{recorder.pid}/stat").read_text().rsplit(") ")[1].split()[11:13])
        print(f"recorded: {messages / seconds:.0f} rows/s ({messages} in {seconds:.1f} s; aim 30,000), "
              f"CPU of the recorder {ticks / os.sysconf('SC_CLK_TCK') / messages * 1e6:.1f} µs a row")
        recorder.kill()
        # A day of vehicles that report every so often, around a town: yesterday. In the order in which they come.
        day = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(1)
        step = 86_400 * VEHICLES / rows
        database.ask(f"""
            SET timezone = 'UTC';
            CREATE TABLE IF NOT EXISTS fleet.position_{day:%Y%m%d} PARTITION OF fleet.position
                FOR VALUES FROM ('{day}') TO ('{day + datetime.timedelta(1)}');
            INSERT INTO fleet.position SELECT v, '{day}'::timestamptz + make_interval(secs => {step} * s),
                ST_MakePoint(16.3 + 0.2 * sin(v + s * {step} / 4000), 48.2 + 0.15 * cos(v * 7 + s * {step} / 5000))::geography,
                5, 200, 10, 90, 80
            FROM generate_series(0, {rows // VEHICLES - 1}) AS s, generate_series(1, {VEHICLES}) AS v""")
        database.ask("ANALYZE fleet.position")
        near = database.time(f"""SELECT DISTINCT vehicle FROM fleet.position WHERE ST_DWithin(point, ST_MakePoint(16.37, 48.2)::geography, 500)
            AND time BETWEEN '{day} 12:00Z' AND '{day} 12:01Z'""")
        print(f"within 500 m in a minute of {rows} rows: {near:.1f} ms (aim 50)")
        database.ask(f"INSERT INTO fleet.pending SELECT id, '{day}' FROM fleet.vehicle ON CONFLICT DO NOTHING")
        start = time.monotonic()
        # What the recorder does for days that have ended.
        process = record()
        wait_for(lambda: database.ask("SELECT count(*) FROM fleet.pending") == "0")
        print(f"trajectories of {VEHICLES} vehicles made: {time.monotonic() - start:.1f} s, once a day")
        process.kill()
        line = database.time(f"SELECT ST_AsGeoJSON(line) FROM fleet.trajectory WHERE vehicle = 7 AND day = '{day}'")
        print(f"a vehicle's day, simplified: {line:.1f} ms (aim 50)")
        report = database.time(f"""SELECT topic, distance, positions, ST_M(ST_StartPoint(line)), ST_M(ST_EndPoint(line))
            FROM fleet.trajectory JOIN fleet.vehicle ON id = vehicle WHERE day = '{day}'""")
        print(f"a day's report of {VEHICLES} vehicles: {report:.1f} ms (aim 2,000)")
        midnight = int(datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc).timestamp())
        start = time.monotonic()
        played = subprocess.run([program, "day", "--from", str(midnight), "--to", str(midnight + 86_400), "--database", database.address],
                                check=True, capture_output=True).stdout
        print(f"that day for the map, to be played back: {time.monotonic() - start:.1f} s (aim 2), {len(played) / 1e6:.1f} MB (aim 10)")
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()
        shutil.rmtree(directory, ignore_errors=True)


main()
