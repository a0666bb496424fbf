#!/usr/bin/env python3
"""Measures suggestions in the page, from a keystroke to the list that answers it, while names of places in the fixtures' regions are
typed; and the memory of the map program meanwhile. `keystrokes.py BUILD EXTRACTS`: the directory of the programs that serve the page,
and that of the extracts. Fails when an aim is missed."""

import os
import random
import sqlite3
import subprocess
import sys
import tempfile

PROGRAMS, EXTRACTS = map(os.path.abspath, sys.argv[1:])
os.environ.setdefault("LOCATIOND_TEST_PROGRAMS", PROGRAMS)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Map", "Browser"))

from playwright.sync_api import sync_playwright

from browser import OPTIONS, MapPage
from service import DATA, Program

# The names typed in each region, and how the generator that chooses them begins.
NAMES = 12
SEED = 38
# Milliseconds, and megabytes.
AIMS = {"p50": 10, "p95": 40, "memory": 34}
# Types a text letter by letter. A time ends with the change of the list after the answer.
TYPE = """async (text) => {
  const input = document.querySelector("#search-field");
  const list = document.querySelector(".suggestions");
  input.focus();
  const times = [];
  const letters = [...text];
  for (let count = 1; count <= letters.length; count++) {
    const typed = letters.slice(0, count).join("");
    if (!typed.trim() || typed.trim() !== typed) continue;
    const { promise, resolve } = Promise.withResolvers();
    const watch = new MutationObserver(() => resolve(performance.now()));
    watch.observe(list, { childList: true, subtree: true });
    input.value = typed;
    const start = performance.now();
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    times.push(await promise - start);
    watch.disconnect();
    // The next key comes when this list has been drawn.
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  }
  return times;
}"""


def extracts(into):
    """The fixtures' extracts, those in other forms converted."""
    for file in sorted(os.listdir(EXTRACTS)):
        name = file.split(".")[0]
        if file.endswith((".osm.pbf", ".osm.xml", ".osm.bz2")):
            path = os.path.join(into, f"{name}.osm.pbf")
            subprocess.run(["osmium", "cat", os.path.join(EXTRACTS, file), "-o", path], check=True, capture_output=True)
            yield name, path


def names(index):
    """Some names of places, each with its position; the same ones each time."""
    with sqlite3.connect(f"file:{index}?mode=ro", uri=True) as places:
        rows = places.execute("SELECT DISTINCT name, longitude / 1e6, latitude / 1e6 FROM place WHERE length(name) BETWEEN 5 AND 30 ORDER BY name, id").fetchall()
    return random.Random(SEED).sample(rows, min(NAMES, len(rows)))


def memory(process):
    with open(f"/proc/{process}/smaps_rollup") as rollup:
        return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) / 1000


with tempfile.TemporaryDirectory(prefix="locationd-keystrokes-") as home, sync_playwright() as playwright:
    environment = {"LOCATIOND_MAP_DATA": DATA, "XDG_DATA_HOME": home, "LOCATIOND_SOCKET": os.path.join(home, "none")}
    command = os.path.join(PROGRAMS, "locationctl-map")
    texts = []
    for name, path in extracts(home):
        subprocess.run([command, "add", path], check=True, capture_output=True, env={**os.environ, **environment})
        texts += names(os.path.join(home, "locationd", "maps", name, "places.sqlite"))
    program = Program([command, "--mode", "none"], environment)
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
    page = MapPage(browser, program.line(r"http://\S+").group(0), locale="en-GB").idle()
    times = []
    for text, longitude, latitude in texts:
        page.jump(longitude, latitude, 14)
        page.idle()
        times += page.page.evaluate(TYPE, text)
    used = memory(program.process.pid)
    browser.close()
    program.end()

times.sort()
values = {"p50": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "memory": used}
print(f"{len(texts)} names, {len(times)} keystrokes, the slowest {times[-1]:.1f} ms")
for name, value in values.items():
    print(f"{name}: {value:.1f} {'MB' if name == 'memory' else 'ms'} (at most {AIMS[name]}){'' if value <= AIMS[name] else '  MISSED'}")
sys.exit(any(value > AIMS[name] for name, value in values.items()))
