#!/usr/bin/env python3
"""Simulates a receiver with a 3D fix and nine satellites: four reports a second to a UDP port of this machine, by default 20175."""
import datetime
import socket
import sys
import time

INTERVAL = 0.25
SATELLITES = range(1, 10)


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def epoch(now):
    """The sentences of one epoch: near Erfurt, standing still."""
    clock = now.strftime("%H%M%S.") + f"{now.microsecond // 10000:02d}"
    position = "5058.700,N,01101.500,E"
    in_use = ",".join(f"{number:02d}" for number in SATELLITES)
    seen = [f"{number:02d},45,{number * 30:03d},40" for number in SATELLITES]
    views = [seen[i:i + 4] for i in range(0, len(seen), 4)]
    return "".join([
        sentence(f"GPRMC,{clock},A,{position},0.0,0.0,{now.strftime('%d%m%y')},,,A"),
        sentence(f"GPGGA,{clock},{position},1,{len(SATELLITES):02d},0.9,200.0,M,46.0,M,,"),
        sentence(f"GPGSA,A,3,{in_use},,,,1.5,0.9,1.2"),
        *(sentence(f"GPGSV,{len(views)},{i},{len(seen):02d}," + ",".join(view)) for i, view in enumerate(views, 1)),
    ])


if __name__ == "__main__":
    port = int(sys.argv[1]) if sys.argv[1:] else 20175
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as feed:
        while True:
            try:
                feed.sendto(epoch(datetime.datetime.now(datetime.timezone.utc)).encode(), ("127.0.0.1", port))
            except ConnectionRefusedError:
                pass  # gpsd does not listen now.
            time.sleep(INTERVAL)
