"""Pages in Debian's Chromium, and what tests do with them as a person would."""

import os
import re
from urllib.parse import urlsplit

from playwright.sync_api import expect

from service import ROOT

PICTURES = os.path.join(ROOT, ".build", "map-pictures")
# llvmpipe is twice as fast as what Chromium brings.
OPTIONS = ["--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=gl-egl", "--ignore-gpu-blocklist"]
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
# Milliseconds for what takes a fraction of a second on an idle machine: reached only where something is wrong.
LIMIT = 60_000
# With the page's policy, Playwright cannot wait for an expression: it would be evaluated from text in the page. Promises
# have no limit of Playwright's.
IDLE = """new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("the map was never idle")), %d);
  const look = () => globalThis.map?.once ? (map.once("idle", () => resolve(1)), map.triggerRepaint()) : setTimeout(look, 20);
  look();
})""" % LIMIT
STILL = """() => Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished)).then(() => true)"""
UNTIL = """(argument) => new Promise((resolve, reject) => {
  const holds = %s;
  const stop = setTimeout(() => reject(new Error("this never came true: " + holds)), %d);
  const look = () => holds(argument) ? (clearTimeout(stop), resolve(1)) : setTimeout(look, 20);
  look();
})"""

expect.set_options(timeout=LIMIT)


class MapPage:
    """A page that shows a map, watched: an error in it or a request to elsewhere fails the test that made it."""

    def __init__(self, browser, address, size=WIDE, dark=False, snapshot=None, loses_program=False, **options):
        self.browser = browser
        self.origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        self.problems = []
        self.expected = self.DRIVER + (self.LOST if loses_program else [])
        self.context = browser.new_context(
            viewport=size, color_scheme="dark" if dark else "light", permissions=["clipboard-read", "clipboard-write"],
            has_touch=size is PHONE, **options)
        # Pages that this one opens are watched, too.
        self.context.on("page", self._watch)
        self.page = self.context.new_page()
        self.page.set_default_timeout(LIMIT)
        self.page.goto(address)

    def _watch(self, page):
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("console", lambda message: self.problems.append(f"{message.type}: {message.text}")
                if message.type in ("error", "warning") and not self._is_expected(message.text) else None)
        page.on("request", lambda request: self._requested(request.url))

    # A driver's remark is none of ours.
    DRIVER = ["GL Driver Message"]
    # What the console says in tests that are about a program that is gone, or another one at its port.
    LOST = ["ERR_CONNECTION_REFUSED", "ERR_PROXY_CONNECTION_FAILED", "ERR_INCOMPLETE_CHUNKED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE",
            "status of 404", "status of 403"]

    def _is_expected(self, text):
        return any(expected in text for expected in self.expected)

    def _requested(self, address):
        if not address.startswith((self.origin + "/", "blob:" + self.origin + "/", "data:")):
            self.problems.append(f"request to elsewhere: {address}")

    def idle(self):
        """Waits until the map has drawn itself."""
        self.page.evaluate(IDLE)
        return self

    def still(self):
        """Waits until transitions and animations that end have ended: colours are those that people see."""
        self.page.evaluate(STILL)
        return self

    def until(self, condition, argument=None):
        """Waits until a function of the page, written in JavaScript, is true of `argument`."""
        self.page.evaluate(UNTIL % (condition, LIMIT), argument)

    def jump(self, longitude, latitude, zoom):
        """Shows another part of the map at once. The map itself is no result: to hand it over takes a quarter of a minute."""
        self.page.evaluate("([longitude, latitude, zoom]) => { map.jumpTo({ center: [longitude, latitude], zoom }); }", [longitude, latitude, zoom])

    def close(self):
        self.context.close()
        assert self.problems == [], self.problems

    def picture(self, name):
        """Saves what is seen, for who wants to look."""
        os.makedirs(PICTURES, exist_ok=True)
        self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"))

    # MARK: Looking

    def button(self, name):
        return self.page.get_by_role("button", name=re.compile(name) if isinstance(name, str) else name).first

    def camera(self):
        return self.page.evaluate(
            "({center: map.getCenter().toArray(), zoom: map.getZoom(), heading: map.getBearing(), pitch: map.getPitch()})")

    def camera_until(self, expression):
        """Waits until `expression`, of the camera `c`, holds; gives the camera."""
        return self.page.evaluate("""(text) => new Promise((resolve, reject) => {
          const camera = () => ({ longitude: map.getCenter().lng, latitude: map.getCenter().lat, zoom: map.getZoom(), heading: map.getBearing(), pitch: map.getPitch() });
          const holds = { %s };
          const stop = setTimeout(() => reject(new Error(`the camera never was ${text}, but ${JSON.stringify(camera())}`)), %d);
          const look = () => {
            if (!holds.it(camera())) return;
            clearTimeout(stop); map.off("move", look); map.off("moveend", look); resolve(camera());
          };
          map.on("move", look); map.on("moveend", look); look();
        })""" % ("it: (c) => " + expression, LIMIT), expression)

    def settled(self):
        """Waits until no move is under way; gives the camera."""
        self.until("() => !map.isMoving()")
        return self.camera()

    def at(self, longitude, latitude):
        """Where a coordinate is on the page."""
        return self.page.evaluate("""([longitude, latitude]) => {
          const { x, y } = map.project([longitude, latitude]);
          const { left, top } = map.getCanvas().getBoundingClientRect();
          return [x + left, y + top];
        }""", [longitude, latitude])

    def drawn(self, longitude, latitude):
        """The layers whose features are drawn at a coordinate."""
        return self.page.evaluate(
            "(place) => map.queryRenderedFeatures(map.project(place)).map((feature) => feature.layer.id)",
            [longitude, latitude])

    def layers(self):
        """The layers that are not hidden, from the lowest."""
        return self.page.evaluate("map.getStyle().layers.filter((layer) => layer.layout?.visibility !== 'none').map((layer) => layer.id)")

    # MARK: Doing

    def drag_map(self, by_x, by_y, start=(500, 500)):
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0] + by_x / 2, start[1] + by_y / 2, steps=3)
        mouse.move(start[0] + by_x, start[1] + by_y, steps=3)
        mouse.up()

    def turn_map(self, by_x):
        mouse = self.page.mouse
        mouse.move(500, 500)
        mouse.down(button="right")
        mouse.move(500 + by_x, 500, steps=4)
        mouse.up(button="right")
