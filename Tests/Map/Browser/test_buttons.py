"""Every button of the page, clicked in every state that the others lead to. Nothing may fail: `MapPage.close` requires it."""

import random
import shutil

import pytest

VADUZ = "#map=15.00/47.1395/9.5220"
# What can be clicked now, by what it is called: those that lead away from the page are left out.
BUTTONS = """() => [...document.querySelectorAll("button, [role=option], [role=menuitem]:not(a), [role=menuitemradio], summary")]
  .filter((node) => node.checkVisibility() && !node.disabled)
  .map((node) => node.getAttribute("aria-label") ?? node.textContent.trim())"""
CLICK = """(index) => [...document.querySelectorAll("button, [role=option], [role=menuitem]:not(a), [role=menuitemradio], summary")]
  .filter((node) => node.checkVisibility() && !node.disabled)[index]?.click()"""


@pytest.fixture
def program(served, regions, tmp_path):
    """Starts map programs with regions of their own: one of the buttons removes them."""
    served.regions = str(shutil.copytree(regions, tmp_path / "regions"))
    return lambda: served.run("locationctl-map", "--mode", "none")[1]


@pytest.mark.parametrize("seed", [pytest.param(1, marks=pytest.mark.smoke), 2, 3])
def test_every_button_can_be_clicked_in_any_order(program, open_page, seed):
    page = open_page(program() + VADUZ, locale="en-GB").idle()
    order = random.Random(seed)
    field = page.page.get_by_role("combobox", name="Search the map")
    clicked = set()
    for text in ["pharmacy", "vaduz", "museum", "qqqzzz"]:
        field.fill(text)
        if order.random() < 0.5:
            field.press("Enter")
        for _ in range(25):
            names = page.page.evaluate(BUTTONS)
            fresh = [index for index, name in enumerate(names) if name not in clicked]
            index = order.choice(fresh or list(range(len(names))))
            clicked.add(names[index])
            # Without waiting for what the click before has begun.
            page.page.evaluate(CLICK, index)
        page.page.mouse.click(700 + order.randrange(100), 300, button="right")
    page.until("() => !document.querySelector('.is-busy')")
    assert {"Zoom in", "Map type", "Clear the search"} <= clicked, clicked


def test_buttons_that_are_hidden_do_nothing_wrong(program, open_page):
    """A script, an extension or a click that was under way may reach what has just been hidden."""
    page = open_page(program() + VADUZ, locale="en-GB").idle()
    field = page.page.get_by_role("combobox", name="Search the map")
    for text in ["", "vaduz", "restaurant"]:
        field.fill(text)
        field.press("Enter")
        page.page.evaluate("""() => {
          for (const node of document.querySelectorAll("button, [role=option], [role=menuitem]:not(a), [role=menuitemradio]")) node.click();
        }""")
        page.until("() => !document.querySelector('.is-busy')")
    # The browser opens no dialog and fills no screen for a click that no person made, and says so.
    page.problems[:] = [each for each in page.problems if not each.endswith((" user gesture.", " user activation."))]


def test_pins_that_are_leaving_can_be_clicked(program, open_page):
    page = open_page(program() + VADUZ, locale="en-GB").idle()
    field = page.page.get_by_role("combobox", name="Search the map")
    field.fill("restaurant")
    field.press("Enter")
    page.page.get_by_role("list", name="Search results").get_by_role("button").first.wait_for()
    page.page.evaluate("""() => {
      const pins = [...document.querySelectorAll("[aria-label='Search results'] button")];
      document.querySelector("[aria-label='Clear the search']").click();
      for (const pin of pins) pin.click();
    }""")
    page.until("() => !document.querySelector('.is-busy')")
