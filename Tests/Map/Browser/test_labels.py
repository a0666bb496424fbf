"""Labels and icons of the map, clicked: each opens the callout of its place."""

import pytest
from playwright.sync_api import expect

from browser import PHONE

VADUZ = "#map=17.20/47.13950/9.52220"
# The labels that are drawn, by what they are called and their layer, with their place in pixels.
DRAWN = """() => {
  const layers = map.getStyle().layers.filter(({ type, source }) => type === "symbol" && source !== "view-room").map(({ id }) => id);
  return map.queryRenderedFeatures({ layers }).filter(({ geometry }) => geometry.type === "Point").map(({ layer, geometry, properties }) => {
    const { x, y } = map.project(geometry.coordinates);
    return { layer: layer.id, name: properties.name ?? "", kind: properties.subclass ?? properties.class, x, y };
  });
}"""


@pytest.fixture
def labels(program, open_page):
    def made(view=VADUZ, **options):
        page = open_page(program() + view, locale="en-GB", **options).idle()
        page.callout = page.page.locator(".callout:visible")
        page.pins = page.page.get_by_role("group", name="Search results").locator("button.view")
        return page
    return made


def drawn(page, size=(1280, 800), **wanted):
    """The labels of the page in the free middle of the map that are as wanted."""
    return free(page.page.evaluate(DRAWN), size, **wanted)


def free(labels, size=(1280, 800), **wanted):
    """Those of `labels` in the free middle of the map that are as wanted."""
    return [label for label in labels
            if 400 < label["x"] < size[0] - 100 and 150 < label["y"] < size[1] - 100
            and all(label[key] == value for key, value in wanted.items())]


def click(page, label):
    page.page.mouse.click(label["x"], label["y"])


@pytest.mark.smoke
def test_a_label_opens_its_place(labels):
    page = labels()
    museum = drawn(page, kind="museum")[0]
    page.page.mouse.move(museum["x"], museum["y"])
    page.page.wait_for_selector(".is-over-label", state="attached")
    click(page, museum)
    expect(page.callout.locator(".title")).to_have_text(museum["name"])
    expect(page.callout.locator(".subtitle")).to_contain_text("Museum")
    expect(page.callout.get_by_role("link")).not_to_have_count(0)
    expect(page.pins).to_have_count(1)
    page.picture("label-museum")
    page.callout.get_by_role("button", name="Open in…").click()
    page.page.get_by_role("menuitem", name="Copy a geo: link").click()
    assert page.page.evaluate("navigator.clipboard.readText()").startswith("geo:47.1")
    page.callout.get_by_role("button", name="Copy", exact=True).click()
    assert page.page.evaluate("navigator.clipboard.readText()").startswith(museum["name"])
    # A click beside it takes the pin away.
    page.page.keyboard.press("Escape")
    expect(page.pins).to_have_count(0)


def test_results_stay_beside_the_place_of_a_label(labels):
    page = labels()
    field = page.page.get_by_role("combobox", name="Search the map")
    field.fill("restaurant")
    field.press("Enter")
    rows = page.page.get_by_role("list", name="Search results").get_by_role("button")
    expect(rows.first).to_be_visible()
    count = rows.count()
    page.jump(9.5222, 47.1395, 17.2)
    page.idle()
    museum = drawn(page, kind="museum")[0]
    click(page, museum)
    expect(page.callout.locator(".title")).to_have_text(museum["name"])
    expect(rows).to_have_count(count)
    rows.first.click()
    expect(page.callout.locator(".title")).not_to_have_text(museum["name"])
    expect(page.page.get_by_role("button", name=museum["name"])).to_have_count(0)


def test_what_no_index_knows_has_the_name_of_its_label(labels):
    """An icon without a name, and the label of a town of the world."""
    page = labels()
    nameless = [label for label in drawn(page, layer="point") if not label["name"]]
    assert nameless, drawn(page)
    click(page, nameless[0])
    expect(page.callout.locator(".title")).not_to_have_text("")
    page.picture("label-nameless")
    page.page.keyboard.press("Escape")
    page.jump(9.5, 47.2, 6)
    page.idle()
    town = drawn(page, layer="town")[0]
    click(page, town)
    expect(page.callout.locator(".subtitle")).to_contain_text("Town")


def test_a_street_is_shown_where_it_was_clicked(labels):
    page = labels()
    street = page.page.evaluate("""() => {
      for (let y = 200; y < 700; y += 8) for (let x = 450; x < 1100; x += 8) {
        const [feature] = map.queryRenderedFeatures([x, y], { layers: ["road-name", "minor-name"] });
        if (feature) return { name: feature.properties.name, x, y };
      }
    }""")
    camera = page.camera()
    click(page, street)
    expect(page.callout.locator(".title")).to_have_text(street["name"])
    expect(page.callout.locator(".subtitle")).to_contain_text("Street")
    box = page.pins.first.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - street["x"]) < 12, (box, street)
    assert page.camera() == camera


def test_a_click_on_nothing_or_while_measuring_opens_nothing(labels):
    page = labels()
    museum = drawn(page, kind="museum")[0]
    page.page.mouse.click(museum["x"], museum["y"], button="right")
    page.page.get_by_role("menuitem", name="Measure or draw a route from here").click()
    click(page, museum)
    page.page.keyboard.press("Escape")
    page.idle()
    expect(page.pins).to_have_count(0)
    # The menu names what is under the pointer.
    page.page.mouse.click(museum["x"], museum["y"], button="right")
    page.page.get_by_role("menuitem", name="What is here?").click()
    expect(page.callout.locator(".title")).to_have_text(museum["name"])
    # While the place is asked for, another click is the newer wish.
    page.page.keyboard.press("Escape")
    page.idle()
    # Far from the pin of the first, which labels give way to.
    named = [label for label in drawn(page, layer="point") if label["name"]]
    other = max(named, key=lambda label: abs(label["x"] - museum["x"]) + abs(label["y"] - museum["y"]))
    click(page, museum)
    click(page, other)
    expect(page.callout.locator(".title")).to_have_text(other["name"])
    expect(page.pins).to_have_count(1)


def test_a_label_is_tapped_on_a_phone(labels):
    page = labels("#map=17.20/47.13950/9.52220", size=PHONE)
    museum = next(label for label in page.page.evaluate(DRAWN) if label["kind"] == "museum" and 40 < label["x"] < 350 and 200 < label["y"] < 700)
    page.page.touchscreen.tap(museum["x"], museum["y"])
    expect(page.callout.locator(".title")).to_have_text(museum["name"])
    page.picture("label-phone")


# The captions that are seen, each with what it covers a part of: another caption, a pin that is not its own, a callout.
COVERED = """() => {
  const box = (node) => node.getBoundingClientRect();
  const views = [...document.querySelectorAll(".view")];
  const captions = views.map((view) => view.querySelector(".caption")).filter((node) => node && getComputedStyle(node).visibility === "visible");
  const pins = views.map((view) => view.querySelector(".balloon"));
  const callouts = [...document.querySelectorAll(".callout-body")];
  const meet = (a, b) => a.left + 1 < b.right && b.left + 1 < a.right && a.top + 1 < b.bottom && b.top + 1 < a.bottom;
  const name = (node) => node.closest(".view")?.ariaLabel ?? "callout";
  return [captions.length, captions.flatMap((caption) => [...captions, ...pins, ...callouts]
    .filter((other) => other && other !== caption && !(other.matches(".balloon") && other.closest(".view") === caption.closest(".view")) && meet(box(caption), box(other)))
    .map((other) => `${name(caption)} / ${other.getAttribute("class")} ${name(other)}`))];
}"""


def test_no_caption_covers_another_one_or_is_cut_off(labels):
    page = labels("#map=16/60.1705/24.944")
    field = page.page.get_by_role("combobox", name="Search the map")
    field.fill("restaurant")
    field.press("Enter")
    results = page.page.locator(".results button")
    expect(results.first).to_be_visible()
    # Saved places are where results are, with the same names.
    for index in [0, 3]:
        results.nth(index).click()
        page.callout.get_by_role("button", name="Save").click()
        page.page.locator("dialog.form").get_by_role("button", name="Save").click()
        expect(page.page.get_by_role("group", name="Saved places").locator("button.view")).to_have_count(1 + (index > 0))
    page.page.keyboard.press("Escape")
    for chosen in [None, 2]:
        if chosen is not None:
            results.nth(chosen).click()
            expect(page.callout).to_be_visible()
        longitude, latitude = page.settled()["center"]
        for zoom in [15, 16.5, 17.5]:
            page.jump(longitude, latitude, zoom)
            page.still().until(f"() => !({COVERED})()[1].length")
            page.picture(f"captions-{chosen}-{zoom}")
    assert page.page.evaluate(COVERED)[0] > 3, "some have room"
