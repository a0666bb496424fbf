"""Debian's Firefox, driven by Mozilla's own Marionette: playwright drives a Firefox of its own only."""

import base64
import os
import subprocess

from marionette_driver import By
from marionette_driver.errors import JavascriptException
from marionette_driver.keys import Keys
from marionette_driver.marionette import ActionSequence, Marionette

from browser import PICTURES
from service import ROOT

# Seconds, for what takes a fraction of one on an idle machine.
PATIENCE = 120
# Evaluates a script until its value is true, and gives that; `map` is the page's.
UNTIL = """
  const [done, argument] = [arguments[arguments.length - 1], arguments[0]];
  const look = () => {
    const map = window.map;
    const value = (() => { %s })();
    if (value) done(value); else setTimeout(look, 50);
  };
  look();
"""
IDLE = """
  const [done] = arguments, map = window.map;
  map.once("idle", () => done(true));
  map.triggerRepaint();
"""
# Errors and warnings of pages. Of a document's first moments, too, which a listener in the page would miss.
PROBLEMS = """
  const [origin] = arguments;
  return Services.console.getMessageArray()
    .filter((message) => message instanceof Ci.nsIScriptError && message.sourceName.startsWith(origin))
    .map((message) => message.toString());
"""


class Firefox:
    """A Firefox on a screen of its own, since one without a screen has no WebGL."""

    def __init__(self, size="1400x1000"):
        (reader, writer) = os.pipe()
        self._screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp"], pass_fds=[writer],
            stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as lines:
            os.environ["DISPLAY"] = f":{lines.readline().strip()}"
        self.driver = Marionette(
            bin="/usr/bin/firefox-esr", app_args=["--width=1280", "--height=900"], gecko_log=os.path.join(ROOT, ".build", "firefox.log"))
        self.driver.start_session()
        self.driver.timeout.script = PATIENCE
        self.driver.timeout.implicit = PATIENCE

    def end(self):
        self.driver.quit()
        self._screen.terminate()
        self._screen.wait(PATIENCE)
        del os.environ["DISPLAY"]

    def open(self, address, languages):
        """Opens a page in the languages, and waits until its map has drawn itself."""
        self.go(address, languages)
        self.until("return map?.once")
        self.idle()

    def go(self, address, languages):
        """Opens a page in the languages."""
        self.driver.set_pref("intl.accept_languages", languages)
        self.driver.navigate("about:blank")
        self.driver.navigate(address)
        # The address leads to another one, with a cookie.
        self.until("return !location.pathname.includes('/enter/')")

    def run(self, script, *arguments):
        """Runs JavaScript beside the page's."""
        return self.driver.execute_script(script, script_args=arguments, sandbox=None)

    def evaluate(self, function, *arguments):
        """Calls a function, written in JavaScript, and gives its result."""
        return self.run(f"return ({function})(...arguments);", *arguments)

    def until(self, script, *arguments):
        """Waits until a script returns something true, and gives it."""
        while True:
            try:
                return self.driver.execute_async_script(UNTIL % script, script_args=arguments, sandbox=None)
            except JavascriptException as error:
                # The first page of an address gives way to the map's.
                if "unloaded" not in str(error):
                    raise

    def idle(self):
        self.driver.execute_async_script(IDLE, sandbox=None)

    def element(self, selector):
        """The first element, which is waited for."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector, part):
        """Waits until an element has a text that contains `part`."""
        return self.until("const [selector, part] = argument;"
                          "return [...document.querySelectorAll(selector)].map((each) => each.textContent).find((text) => text.includes(part));",
                          [selector, part])

    def click(self, selector, name):
        """Clicks the first visible element with this text or label, which is waited for."""
        self.until("""const [selector, name] = argument;
            return [...document.querySelectorAll(selector)].find((each) =>
              each.checkVisibility() && (each.getAttribute("aria-label") ?? each.textContent).trim().startsWith(name));""",
                   [selector, name]).click()

    def press(self, selector, keys):
        self.element(selector).send_keys(keys)

    def point(self, x, y):
        """A click at a place of the window."""
        (ActionSequence(self.driver, "pointer", "mouse", {"pointerType": "mouse"})
         .pointer_move(round(x), round(y)).pointer_down().pointer_up().perform())

    def menu(self, x, y):
        """Opens the menu at a place of the map, as MapLibre does for a right click: Marionette's own fails in this version."""
        self.run("const [x, y] = arguments; map.fire('contextmenu', { originalEvent: { button: 2 }, point: { x, y },"
                 " lngLat: map.unproject([x, y]), preventDefault() {} });", x, y)

    def picture(self, name):
        """Saves what is seen; gives the path."""
        os.makedirs(PICTURES, exist_ok=True)
        path = os.path.join(PICTURES, f"firefox-{name}.png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.driver.screenshot(full=False)))
        return path

    def problems(self, origin):
        """What Firefox's console says of the pages of `origin`."""
        with self.driver.using_context("chrome"):
            return self.driver.execute_script(PROBLEMS, script_args=[origin])


ENTER, DOWN = Keys.ENTER, Keys.ARROW_DOWN
