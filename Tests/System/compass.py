#!/usr/bin/python3
"""A tablet's sensors for the box, a compass and an accelerometer, made of umockdev below the real iio-sensor-proxy.

    umockdev-wrapper python3 compass.py

Prints the directory of umockdev. Commands, a line each: `start` and `stop` start and end iio-sensor-proxy, which logs to
/run/iio-sensor-proxy.log, each time from the beginning; a number turns the tablet that many degrees clockwise from magnetic
north; `remove` and `add` unplug the compass and plug it in. Each is answered with its line.
"""
import os
import struct
import subprocess
import sys

import gi

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402

HUB = "/devices/pci0000:00/0000:00:14.0"
COMPASS = f"{HUB}/HID-SENSOR-200083.1.auto/iio:device0"
CHANNEL = "scan_elements/in_rot_from_north_magnetic_tilt_comp"
# Degrees in hundredths.
SCALE = 100

DEVICES = f"""P: {COMPASS}
N: iio:device0=00000000
E: DEVNAME=/dev/iio:device0
E: SUBSYSTEM=iio
E: IIO_SENSOR_PROXY_TYPE=iio-buffer-compass
A: name=magn_3d
A: buffer/enable=0
A: buffer/length=2
A: trigger/current_trigger=magn_3d-dev0
A: in_rot_scale={1 / SCALE}
A: {CHANNEL}_en=1
A: {CHANNEL}_index=0
A: {CHANNEL}_type=le:s32/32>>0

P: {HUB}/HID-SENSOR-200083.1.auto/trigger0
E: SUBSYSTEM=iio
A: name=magn_3d-dev0

P: {HUB}/HID-SENSOR-200073.2.auto/iio:device1
E: SUBSYSTEM=iio
E: IIO_SENSOR_PROXY_TYPE=iio-poll-accel
A: name=accel_3d
A: in_accel_x_raw=0
A: in_accel_y_raw=-256
A: in_accel_z_raw=0
A: in_accel_scale=0.0383

"""


def program():
    """iio-sensor-proxy, where its unit has it."""
    for line in open("/lib/systemd/system/iio-sensor-proxy.service"):
        if line.startswith("ExecStart="):
            return line.removeprefix("ExecStart=").strip()


def main():
    testbed = UMockdev.Testbed.new()
    testbed.add_from_string(DEVICES)
    # The second is where iio-sensor-proxy reads below umockdev since 3.6.
    root = testbed.get_root_dir()
    buffers = [f"{root}/dev/iio:device0", f"{root}/iio-dev-data.bin"]

    def turn(heading):
        for buffer in buffers:
            with open(buffer + ".new", "wb") as file:
                file.write(struct.pack("<i", round(heading * SCALE)))
            os.replace(buffer + ".new", buffer)

    turn(90)
    environment = os.environ | {"G_MESSAGES_DEBUG": "all", "UMOCKDEV_DIR": root}
    proxy = None
    print(root, flush=True)
    for line in sys.stdin:
        command = line.strip()
        if command == "start":
            with open("/run/iio-sensor-proxy.log", "w") as log:
                proxy = subprocess.Popen([program()], env=environment, stdout=log, stderr=log)
        elif command == "stop":
            proxy.terminate()
            proxy.wait()
        elif command in ("add", "remove"):
            testbed.uevent(f"/sys{COMPASS}", command)
        else:
            turn(float(command))
        print(command, flush=True)
    if proxy:
        proxy.terminate()


main()
