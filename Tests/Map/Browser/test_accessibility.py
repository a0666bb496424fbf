"""Keyboard alone reaches everything; roles and labels are there."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import OPTIONS, PHONE, MapPage
from tracks import gpx


@pytest.fixture(scope="module")
def program(served):
    return lambda: served.run("locationctl-map", "--mode", "none", gpx(served))


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.smoke), True], ids=["light", "dark"])
def test_axe_finds_nothing(program, open_page, dark):
    page = open_page(program()[1], dark=dark).idle()
    page.button("^Castle").click()
    expect(page.page.locator(".callout")).to_be_visible()
    page.page.get_by_role("button", name="Map type").click()
    found = Axe().run(page.still().page).response["violations"]
    assert not found, json.dumps([(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found], indent=1)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_under_the_pointer_is_readable(program, open_page, dark):
    page = open_page(program()[1], dark=dark).idle()
    name = "dark" if dark else "light"
    field = page.page.get_by_role("combobox", name="Search the map")
    field.fill("vaduz")
    field.press("Enter")
    page.page.locator(".place-actions").wait_for()
    hover_each(page, ".place-actions button")
    page.page.locator(".place-actions button").filter(has_text="Save").click()
    hover_each(page, ".form button")
    page.picture(f"hovered-{name}")
    page.page.locator(".form .buttons button").filter(has_text="Cancel").click()
    page.button("Clear the search").click()
    page.page.mouse.click(700, 450, button="right")
    page.page.get_by_role("menuitem", name="Measure").click()
    page.page.mouse.click(800, 500)
    hover_each(page, ".measure button")
    page.page.get_by_role("button", name="Done").click()
    page.page.get_by_role("button", name="Map type").click()
    page.page.locator(".regions-item").click()
    hover_each(page, ".regions button")


def hover_each(page, selector):
    buttons = page.page.locator(selector).all()
    assert buttons, selector
    for button in buttons:
        if button.is_disabled() or not button.is_visible():
            continue
        button.hover()
        found = Axe().run(page.still().page, context=selector, options={"runOnly": ["color-contrast"]}).response["violations"]
        assert not found, json.dumps([node["any"][0]["message"] for rule in found for node in rule["nodes"]], indent=1)


def reached_by_tab(page):
    """The labels of what Tab reaches, until the page ends or begins again."""
    reached = []
    while True:
        page.page.keyboard.press("Tab")
        label = page.page.evaluate("""document.activeElement === document.body ? null
          : document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent""")
        if label is None or label in reached:
            return reached
        reached.append(label)


def test_tab_goes_through_the_map_its_views_and_its_controls(program, open_page):
    page = open_page(program()[1]).idle()
    page.page.locator("canvas").focus()
    reached = reached_by_tab(page)
    everything = " | ".join(str(label) for label in reached)
    for expected in ["Map type", "my location", "Full screen", "Zoom in", "Zoom out", "Credits"]:
        assert expected in everything, everything
    assert any(name in everything for name in ["Castle", "Bridge", "Bold"]), everything
    # All views are one stop: arrows go from one to the next.
    assert sum(name in everything for name in ["Castle", "Bridge"]) <= 1, everything


def test_the_order_of_focus_is_that_of_reading(program, open_page):
    page = open_page(program()[1]).idle()
    reached = reached_by_tab(page)
    assert reached[:2] == ["Search the map", "Map"] and reached[-1] == "Credits", reached


def test_no_group_is_empty(program, open_page):
    page = open_page(program()[1]).idle()
    tree = page.page.locator("body").aria_snapshot()
    assert 'group "Annotations":' in tree, tree
    # A group with contents ends with a colon.
    empty = [line for line in tree.splitlines() if "- group" in line and not line.endswith(":")]
    assert not empty, tree
    assert "Arrow keys" not in tree, "the description of a group, not a text of its own"


# The width and height within which a click reaches each element.
TARGETS = """() => {
  const clickable = "button, a[href], input, summary, [role=button], [role=option], [role=menuitem], [role=menuitemradio], [tabindex='0']:not(canvas)";
  // Two places may be nearer to one another than that.
  const isPlace = (node) => node?.matches(".view, .user-dot");
  const reach = (node, x, y, stepX, stepY) => {
    let length = 0;
    // Beyond the window's edge nothing can be clicked, and nothing else is either.
    for (; length < 60; length++) {
      const hit = document.elementFromPoint(x + stepX * (length + 1), y + stepY * (length + 1));
      const target = hit?.closest(clickable);
      if (target !== node && !(isPlace(target) && isPlace(node))) break;
    }
    return length;
  };
  // The map can be moved from beneath what covers a part of a place.
  const isCovered = (node, x, y) => isPlace(node) && [[-21, -21], [21, -21], [-21, 21], [21, 21]].some(([aside, down]) => {
    const hit = document.elementFromPoint(x + aside, y + down);
    return hit && hit !== node && !node.contains(hit) && !isPlace(hit.closest(clickable)) && !hit.matches("canvas");
  });
  return [...document.querySelectorAll(clickable)].filter((node) => node.checkVisibility() && !node.closest("[inert]")).flatMap((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    // The callout of a selected place covers a part of it.
    if (node.matches(".is-selected") || document.elementFromPoint(x, y)?.closest(clickable) !== node || isCovered(node, x, y)) return [];
    return [{
      name: node.getAttribute("aria-label") ?? node.textContent.trim(),
      width: reach(node, x, y, 1, 0) + reach(node, x, y, -1, 0) + 1, height: reach(node, x, y, 0, 1) + reach(node, x, y, 0, -1) + 1,
    }];
  });
}"""


def small_targets(page):
    targets = page.page.evaluate(TARGETS)
    assert targets
    # Counted in whole pixels from the middle, which may miss one.
    return [target for target in targets if target["width"] < 43 or target["height"] < 43]


def test_every_target_has_44_pixels(program, open_page):
    page = open_page(program()[1], size=PHONE).idle()
    assert not small_targets(page)
    page.button("^Castle").click()
    expect(page.page.locator(".callout")).to_be_visible()
    assert not small_targets(page)
    page.page.keyboard.press("Escape")
    page.page.get_by_role("button", name="Map type").click()
    assert not small_targets(page)
    page.page.keyboard.press("Escape")
    page.page.mouse.click(150, 300, button="right")
    assert not small_targets(page)
    page.page.get_by_role("menuitem", name="Measure").click()
    assert not small_targets(page)
    page.page.get_by_role("button", name="Done").click()
    field = page.page.get_by_role("combobox", name="Search the map")
    field.fill("vaduz")
    page.page.get_by_role("option").first.wait_for()
    assert not small_targets(page)
    field.press("Enter")
    page.until("() => !document.querySelector('.is-busy')")
    # The callout of the only result has grown to its size.
    page.still()
    assert not small_targets(page)


def test_without_webgl_the_page_says_so_and_tells_the_position_in_words(program, chromium):
    browser = chromium.browser_type.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu", "--disable-3d-apis"])
    try:
        page = MapPage(browser, program()[1])
        expect(page.page.get_by_role("heading", name="This browser cannot draw the map")).to_be_visible()
        expect(page.page.locator(".coordinates")).to_contain_text("47.1")
        expect(page.page.locator("li").first).to_contain_text("47.1")
        page.picture("without-webgl")
        page.close()
    finally:
        browser.close()
