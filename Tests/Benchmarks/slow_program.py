"""A slow program in Python: slow_program.py await|block MILLISECONDS SECONDS

Works for a while on each location, awaiting or blocking the event loop, and at the end prints a line for each: the time of its delivery
in nanoseconds (CLOCK_MONOTONIC), its latitude, and the number of locations that were left out before it.
"""
import asyncio
import contextlib
import sys
import time

import locationd


async def main(work, pause, duration):
    end, lines = time.monotonic() + duration, []
    async with contextlib.aclosing(locationd.updates()) as updates:
        async for update in updates:
            if update.location:
                lines.append(f"{time.monotonic_ns()} {update.location.latitude} {update.skipped}")
            if work == "block":
                time.sleep(pause)
            else:
                await asyncio.sleep(pause)
            if time.monotonic() > end:
                break
    print("\n".join(lines))


asyncio.run(main(sys.argv[1], int(sys.argv[2]) / 1000, float(sys.argv[3])))
