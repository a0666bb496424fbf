"""The classic examples for MapKit, ported, each as a person uses it."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from service import Site


@pytest.fixture(scope="module")
def examples():
    site = Site()
    site.serve("MapExamples")
    def run(name, regions=None):
        site.regions = regions
        return site.run("MapExamples", name)
    yield run
    site.end()


@pytest.fixture
def example(examples, open_page):
    """Runs an example: gives its program and a page that shows it."""
    def show(name, **options):
        program, address = examples(name)
        return program, open_page(address, **options).idle()
    return show


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_map_shows_its_region(example, dark):
    program, page = example("add-a-map", dark=dark)
    camera = page.camera()
    assert abs(camera["center"][0] + 157.829444) < 0.01 and abs(camera["center"][1] - 21.282778) < 0.01
    # 60 km fit into the width.
    west, east = page.page.evaluate("[map.getBounds().getWest(), map.getBounds().getEast()]")
    program.line(r"The tiles are loaded\.")
    program.line(r"The map is drawn\.")
    assert 0.57 < east - west < 1.3, east - west
    page.picture(f"example-map-{'dark' if dark else 'light'}")


def test_a_gesture_changes_the_region_once(example):
    program, page = example("add-a-map")
    gestures = [
        lambda: page.drag_map(-200, 60),
        lambda: [page.page.mouse.wheel(0, -100) for _ in range(5)],
        lambda: [page.page.keyboard.press("ArrowLeft") for _ in range(3)],
    ]
    page.page.locator("canvas").focus()
    for gesture in gestures:
        gesture()
        program.line("The region has changed")
        page.settled()
    changes = [line for line in program.lines if "region" in line]
    assert changes == ["The region will change.", "The region has changed."] * 3, changes


def test_a_click_tells_the_program_its_place_on_a_map_that_is_turned_and_tilted(example):
    program, page = example("add-a-map")
    mouse = page.page.mouse
    mouse.move(400, 300)
    mouse.down(button="right")
    mouse.move(480, 220, steps=5)
    mouse.up(button="right")
    program.line("The region has changed")
    page.settled()
    assert abs(page.camera()["heading"]) > 10 and page.camera()["pitch"] > 10
    for x, y in [(300, 200), (500, 450)]:
        page.page.locator("canvas").click(position={"x": x, "y": y})
        found = program.line(r"A click at (-?\d+), (-?\d+)\.")
        assert abs(int(found[1]) - x) <= 1 and abs(int(found[2]) - y) <= 1, (found[0], x, y)


def test_a_program_has_a_search_interface_of_its_own(example):
    program, page = example("search")
    field = page.page.get_by_role("combobox")
    expect(field).to_have_attribute("placeholder", "Enter a search query")
    field.fill("Vaduz")
    row = page.page.get_by_role("option").first
    expect(row).to_contain_text("Vaduz")
    page.picture("example-search")
    # By keys, as suggestions are.
    field.press("ArrowDown")
    field.press("Enter")
    program.line("Vaduz is shown")
    expect(field).to_have_value("Vaduz")
    camera = page.camera_until("Math.abs(c.longitude - 9.52) < 0.02 && Math.abs(c.latitude - 47.14) < 0.02")
    assert camera
    expect(page.button("^Vaduz")).to_be_visible()
    field.fill("Triesen")
    expect(page.page.get_by_role("option").first).to_contain_text("Triesen")
    field.press("Enter")
    program.line("“Triesen” is submitted")
    expect(page.page.get_by_role("option")).to_have_count(0)


@pytest.mark.smoke
def test_a_callouts_button_tells_the_program(example):
    program, page = example("callout")
    page.button("^King David").click()
    callout = page.page.get_by_role("dialog", name="King David Kalakaua")
    expect(callout).to_contain_text("Waikiki Gateway Park")
    callout.get_by_role("button").click()
    program.line("King David Kalakaua, a sculpture")
    page.picture("example-callout")
    # And by keys alone.
    page.page.keyboard.press("Escape")
    expect(callout).to_be_hidden()
    page.page.locator("canvas").focus()
    page.page.keyboard.press("Tab")
    expect(page.button("^King David")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(callout.get_by_role("button")).to_be_focused()
    page.page.keyboard.press("Enter")
    program.line("King David Kalakaua, a sculpture")


def colours_in(page, box):
    """The colours that are seen in a box of the page."""
    picture = Image.open(io.BytesIO(page.page.screenshot(clip=box))).convert("RGB")
    return [colour for _, colour in picture.getcolors(picture.width * picture.height)]


def test_a_marker_has_an_image_and_its_callout_another(example):
    _, page = example("callout")
    marker = page.button("^King David")
    glyph = marker.locator(".glyph .stencil")
    expect(glyph).to_be_visible()
    expect(marker.locator(".glyph")).to_have_text("")
    glyph.evaluate("""(glyph) => {
      const image = new Image();
      image.src = getComputedStyle(glyph).maskImage.slice('url("'.length, -'")'.length);
      return image.decode();
    }""")
    # The statue is drawn in black; in the balloon its shape is white.
    box = glyph.bounding_box()
    colours = colours_in(page, box)
    assert any(min(colour) > 230 for colour in colours), colours
    assert any(is_red(*colour) for colour in colours) and not any(max(colour) < 60 for colour in colours), colours
    marker.click()
    callout = page.page.get_by_role("dialog", name="King David Kalakaua")
    picture = callout.get_by_role("img", name="Sculpture")
    expect(picture).to_be_visible()
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 20
    # At the left of the words, and no button.
    assert picture.bounding_box()["x"] < callout.locator(".words").bounding_box()["x"]
    assert callout.get_by_role("button").count() == 1
    page.idle().picture("example-images")


@pytest.mark.parametrize("manner", ["mouse", "keys"])
def test_a_view_with_an_own_image_is_dragged(example, manner):
    program, page = example("own-images")
    bridge = page.button("^Bay Bridge")
    image = bridge.locator("img")
    expect(image).to_be_visible()
    assert image.evaluate("(image) => image.naturalWidth") == 44
    box = bridge.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    place = page.page.evaluate("([x, y]) => map.unproject([x, y]).toArray()", [x, y])
    if manner == "mouse":
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        page.page.mouse.move(x - 60, y - 30, steps=5)
        page.picture("dragging")
        page.page.mouse.move(x - 120, y - 60, steps=5)
        page.page.mouse.up()
        expected = 120
    else:
        bridge.focus()
        for _ in range(6):
            page.page.keyboard.press("Shift+ArrowLeft")
        page.page.keyboard.press("Enter")
        expected = 60
    found = program.line(r"Bay Bridge is at (\S+), (\S+)")
    moved = page.page.evaluate("([x]) => map.unproject([x, 0]).lng", [x - expected])
    assert abs(float(found.group(2)) - moved) < 0.004, (found.group(0), moved, place)
    # It stays there, and the map has not moved.
    now = bridge.bounding_box()
    assert abs(now["x"] - (box["x"] - expected)) < 4, now
    # One that cannot be dragged lets the map be dragged.
    before = page.camera()["center"]
    other = page.button("^Golden Gate").bounding_box()
    page.drag_map(80, 0, start=(other["x"] + 20, other["y"] + 16))
    page.camera_until(f"c.longitude < {before[0]} - 0.001")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_circle_is_drawn_in_metres(example, dark):
    _, page = example("circle", dark=dark)
    inside = page.drawn(9.5215, 47.141)
    assert any(layer.endswith(":fill") for layer in inside), inside
    assert not any(layer.startswith("overlay") for layer in page.drawn(9.5215, 47.141 + 0.06))
    # 5 km to the north is its edge, dashed and purple.
    edge = page.page.evaluate("""() => {
      const layer = map.getStyle().layers.find((layer) => layer.id.startsWith("overlay") && layer.type === "line");
      return { dash: layer.paint["line-dasharray"], width: layer.paint["line-width"], colour: layer.paint["line-color"] };
    }""")
    assert edge["width"] == 2 and edge["dash"] == [2, 1], edge
    north = page.page.evaluate("map.queryRenderedFeatures().find((feature) => feature.layer.id.endsWith(':fill')).geometry.coordinates[0].reduce((top, point) => Math.max(top, point[1]), -90)")
    assert abs(north - (47.141 + 5000 / 111_195)) < 0.002, north
    # Above roads, but below labels.
    layers = page.layers()
    fill = next(layer for layer in layers if layer.startswith("overlay") and layer.endswith(":fill"))
    assert layers.index("border") < layers.index(fill) < layers.index("place")
    page.picture(f"example-circle-{'dark' if dark else 'light'}")


def test_bikes_become_pies_that_split_when_clicked(example):
    _, page = example("bikes")
    pies = page.page.locator(".view.image")
    expect(pies.first).to_be_visible()
    page.picture("example-bikes")
    whole = page.page.locator(".view").count()
    assert whole < 200
    source = pies.first.locator("img").get_attribute("src")
    assert "/images/" in source
    zoom = page.camera()["zoom"]
    pies.first.click()
    page.camera_until(f"c.zoom > {zoom} + 0.3")
    page.settled()
    page.idle().picture("example-bikes-split")
    singles = page.page.locator(".view.marker")
    for _ in range(8):
        if singles.count() or not pies.count():
            break
        zoom = page.camera()["zoom"]
        pies.first.click()
        page.camera_until(f"c.zoom > {zoom} + 0.05")
        page.settled()
        page.idle()
    expect(singles.first).to_be_visible()
    # And join again when one zooms out.
    for _ in range(4):
        page.page.locator("canvas").focus()
        page.page.keyboard.press("Shift+-")
        page.settled()
    expect(pies.first).to_be_visible()


def test_controls_stand_where_the_program_puts_them(example):
    program, page = example("bar")
    expect(page.page.locator(".corner.topLeading .compass")).to_be_visible()
    expect(page.page.locator(".corner.top .scale")).to_be_visible()
    bar = page.page.get_by_role("toolbar", name="Map controls")
    expect(bar).to_be_visible()
    # The map ends where the bar begins.
    stage, below = page.page.locator("#stage").bounding_box(), bar.bounding_box()
    assert abs(stage["y"] + stage["height"] - below["y"]) < 1
    button = bar.locator("button.tracking")
    expect(page.page.locator(".user-dot")).to_be_visible()
    button.click()
    program.line("tracking mode is follow")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.camera_until("Math.abs(c.longitude - 9.52) < 0.1")
    page.settled()
    page.picture("example-bar")
    page.drag_map(150, 80)
    program.line("tracking mode is none")
    page.turn_map(200)
    compass = page.page.locator(".compass")
    expect(compass).to_have_attribute("aria-label", re.compile("Turn north up"))
    compass.click()
    page.camera_until("c.heading === 0")


CONTRAST = """(node) => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const linear = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const luminance = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => sum + weight * linear(rgb[index] / 255), 0);
  const [red, green, blue, alpha = 1] = numbers(getComputedStyle(node).backgroundColor);
  const { classList, dataset } = document.documentElement;
  const land = dataset.type !== "standard" ? [0x27, 0x40, 0x4f] : classList.contains("dark") ? [0x29, 0x2c, 0x32] : [0xf6, 0xf2, 0xe9];
  const ground = [red, green, blue].map((value, index) => alpha * value + (1 - alpha) * land[index]);
  const ink = numbers(getComputedStyle(node.querySelector(".icon, .letters, .scale-text")).color);
  const [low, high] = [luminance(ground), luminance(ink)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_controls_have_the_colours_and_corners_that_the_program_sets(example, dark):
    program, page = example("shapes", dark=dark)
    program.say("layers")
    program.line("done: layers")
    tracking = page.page.locator("button.tracking")
    expect(tracking).to_have_css("background-color", "rgba(255, 255, 255, 0.8)")
    expect(tracking).to_have_css("border-top", "1px solid rgb(255, 255, 255)")
    expect(tracking).to_have_css("border-radius", "5px")
    expect(tracking).to_have_css("box-shadow", "none")
    types = page.page.locator(".types-control > button")
    expect(types).to_have_css("background-color", "rgb(10, 132, 255)" if dark else "rgb(0, 122, 255)")

    def are_legible():
        for control in [tracking, types, *(page.page.locator(f".{name}") for name in ["pitch", "zoom", "scale"])]:
            assert control.evaluate(CONTRAST) >= 3, control

    are_legible()
    # The menu of a control keeps the page's colours.
    types.click()
    expect(page.page.locator(".types")).to_have_css("background-color", "rgb(44, 46, 52)" if dark else "rgb(255, 255, 255)")
    page.idle().picture(f"example-layers-{'dark' if dark else 'light'}")
    page.page.keyboard.press("Escape")
    program.say("hybrid")
    page.page.wait_for_selector("html[data-type=hybrid]")
    are_legible()
    page.idle().picture(f"example-layers-hybrid-{'dark' if dark else 'light'}")


@pytest.fixture
def shapes(example):
    return lambda **options: example("shapes", **options)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_shapes_have_holes_dashes_and_levels(shapes, dark):
    _, page = shapes(dark=dark)
    layers = page.layers()
    fills = [layer for layer in page.drawn(9.2 - 0.2, 47.3) if layer.endswith(":fill")]
    assert fills and not [layer for layer in page.drawn(9.2, 47.3) if layer.endswith(":fill")]
    # Both parts of the multi polygon are one overlay.
    parts = [[layer for layer in page.drawn(longitude, 46.4) if layer.endswith(":fill")] for longitude in (8.8, 9.4)]
    assert parts[0] and parts[0] == parts[1] and parts[0] != fills
    line = next(layer for layer in page.drawn(9.1, 46.85) if layer.endswith(":line"))
    paint = page.page.evaluate("(id) => [map.getPaintProperty(id, 'line-dasharray'), map.getPaintProperty(id, 'line-width'), map.getLayoutProperty(id, 'line-cap')]", line)
    assert paint == [[2, 1], 6, "butt"], paint
    # The polygon is below the labels, the line above them.
    assert layers.index(fills[0]) < layers.index("place") < layers.index(line)
    page.idle().picture(f"example-shapes-{'dark' if dark else 'light'}")


def test_a_picture_drawn_by_the_program_lies_on_the_map(shapes):
    _, page = shapes()
    page.page.evaluate("""new Promise((resolve) => {
      const look = () => map.getStyle().layers.some((layer) => layer.id.startsWith("overlay") && layer.type === "raster") ? resolve() : setTimeout(look, 20);
      look();
    })""")
    page.idle()
    x, y = page.at(8.1, 46.78)
    assert all(is_red(*colour) for colour in colours_in(page, {"x": x - 2, "y": y - 2, "width": 4, "height": 4}))


def is_red(red, green, blue):
    return red > 180 and green < 120 and blue < 120


def test_tiles_drawn_by_the_program_are_shown(shapes):
    program, page = shapes()
    program.say("tiles")
    program.line("done: tiles")
    page.page.evaluate("""new Promise((resolve) => {
      const look = () => map.getStyle().layers.filter((layer) => layer.id.startsWith("overlay") && layer.type === "raster").length > 1 ? resolve() : setTimeout(look, 20);
      look();
    })""")
    page.idle().picture("example-tiles")


def test_a_long_line_grows_also_on_a_page_that_came_later(shapes):
    program, page = shapes()

    def is_drawn(longitude, latitude):
        page.until("""([longitude, latitude]) => {
          const { x, y } = map.project([longitude, latitude]);
          return map.queryRenderedFeatures([[x - 3, y - 8], [x + 3, y + 8]]).some(({ layer }) => layer.id.endsWith(":line"));
        }""", [longitude, latitude])

    program.say("trail")
    is_drawn(9.0, 47.55)
    page.page.reload()
    page.idle()
    is_drawn(9.0, 47.55)
    program.say("grow")
    is_drawn(9.4, 47.65)


def test_the_program_changes_what_is_shown(shapes):
    program, page = shapes()
    program.say("go")
    page.camera_until("Math.abs(c.longitude - 7) < 0.01 && Math.abs(c.latitude - 46) < 0.01")
    program.say("turn")
    page.camera_until("Math.abs(c.heading - 90) < 0.5 && Math.abs(c.pitch - 40) < 0.5")
    page.settled()
    page.idle().picture("example-turned")
    program.say("hybrid")
    page.page.wait_for_selector("html[data-type=hybrid]")
    assert any(layer.endswith(":fill") for layer in page.layers() if layer.startswith("overlay"))
    program.say("clear")
    program.line("done: clear")
    expect(page.page.locator(".view")).to_have_count(0)
    page.until("() => !map.getStyle().layers.some((layer) => layer.id.startsWith('overlay'))")


def test_a_scale_in_feet_and_miles(shapes):
    program, page = shapes()
    program.say("miles")
    scale = page.page.locator(".corner.bottom .scale")
    expect(scale).to_be_visible()

    def is_true(unit, metres):
        text = scale.locator(".scale-text")
        expect(text).to_have_text(re.compile(rf"^[125]0*(,000)? {unit}$"))
        length = float(text.inner_text().split()[0].replace(",", "")) * metres
        width = scale.locator(".scale-bar").bounding_box()["width"]
        real = page.page.evaluate("""() => {
          const { clientWidth, clientHeight } = map.getContainer();
          return map.unproject([clientWidth / 2, clientHeight / 2]).distanceTo(map.unproject([clientWidth / 2 + 100, clientHeight / 2])) / 100;
        }""") * width
        assert abs(real / length - 1) < 0.05, (real, length)

    is_true("mi", 1609.344)
    page.idle().picture("example-miles")
    # As near as the wheel goes there are feet.
    page.page.mouse.move(640, 400)
    zoom = page.camera()["zoom"]
    while zoom < 15:
        page.page.mouse.wheel(0, -800)
        page.camera_until(f"c.zoom > {zoom} + 0.2")
        zoom = page.settled()["zoom"]
    is_true("ft", 0.3048)


def test_the_program_chooses_light_or_dark_whatever_the_reader_has(shapes):
    program, page = shapes(dark=False)

    def land_is(colour, look):
        page.page.wait_for_selector("html.dark" if look == "dark" else "html:not(.dark)")
        page.idle()
        assert page.page.evaluate("map.getPaintProperty('land', 'fill-color')") == colour
        # What lies on the map outlasts the change.
        assert any(layer.startswith("overlay") for layer in page.layers())

    program.say("dark")
    land_is("#292c32", "dark")
    page.picture("example-dark-by-program")
    # The reader's own light has no say now.
    page.page.emulate_media(color_scheme="dark")
    program.say("light")
    land_is("#f6f2e9", "light")
    program.say("system")
    land_is("#292c32", "dark")


def test_a_static_map_stays_where_it_is(shapes):
    program, page = shapes()
    before = page.camera()
    program.say("static")
    program.line("done: static")
    page.until("() => !map.dragPan.isEnabled()")
    page.drag_map(-200, 50)
    page.turn_map(150)
    page.page.mouse.wheel(0, -500)
    page.page.mouse.dblclick(400, 400)
    page.page.locator("canvas").focus()
    for key in ["ArrowLeft", "ArrowUp", "+", "-", "Shift+ArrowRight", "Shift+ArrowUp"]:
        page.page.keyboard.press(key)
    page.idle()
    assert page.camera() == before
    # Buttons that would move it are not offered.
    for control in [".zoom", ".pitch"]:
        expect(page.page.locator(control)).to_be_attached()
        expect(page.page.locator(control)).to_be_hidden()
    # What is on it can still be used.
    page.button("^Purple").click()
    program.line("selected Purple")


def test_a_pin_drops_and_its_callout_has_a_left_button_and_a_detail(shapes):
    program, page = shapes()
    program.say("pin")
    pin = page.button("^Dropped")
    expect(pin).to_be_visible()
    assert pin.evaluate("(pin) => pin.style.getPropertyValue('--tint')")
    page.button("^Purple").click()
    program.line("^selected Purple")
    callout = page.page.locator(".callout")
    expect(callout.locator(".detail")).to_have_text("Two\nlines")
    callout.get_by_role("button", name="Directions").click()
    program.line("tapped Go")
    page.picture("example-pin")
    page.page.mouse.click(300, 600)
    program.line("^deselected Purple")
    expect(callout).to_be_hidden()


def test_of_several_pins_at_one_place_one_is_chosen_by_mouse_or_keys(shapes):
    program, page = shapes()
    program.say("pile")
    expect(page.button("^Kiosk")).to_be_visible()
    x, y = page.at(8.7, 47.1)
    page.page.mouse.click(x, y - 24)
    choice = page.page.get_by_role("dialog", name="3 places")
    expect(choice.get_by_role("button")).to_have_count(3)
    page.picture("example-pile")
    choice.get_by_role("button", name="Tower").click()
    program.line("^selected Tower")
    callout = page.page.get_by_role("dialog", name="Tower")
    expect(callout).to_be_visible()
    page.page.mouse.click(300, 600)
    program.line("^deselected Tower")
    # By keys: the list has the focus, arrows go along it, and the chosen one's callout has it then.
    page.button("^Kiosk").focus()
    page.page.keyboard.press("Enter")
    expect(choice.get_by_role("button").first).to_be_focused()
    page.page.keyboard.press("ArrowDown")
    second = choice.get_by_role("button").nth(1)
    expect(second).to_be_focused()
    name = second.locator(".choice-title").inner_text()
    page.page.keyboard.press("Enter")
    program.line(f"^selected {name}")
    expect(page.page.get_by_role("dialog", name=name).get_by_role("button")).to_be_focused()
    # Escape ends a choice without choosing.
    page.page.keyboard.press("Escape")
    program.line(f"^deselected {name}")
    page.button("^Kiosk").focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Escape")
    expect(choice).to_be_hidden()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_line_has_a_gradient_along_its_length(shapes, dark):
    program, page = shapes(dark=dark)
    program.say("climb")
    page.until("() => map.getStyle().layers.some((layer) => layer.paint?.['line-gradient'])")
    page.idle()
    # Blue at its start, red from the second point, a quarter of the length, to the end.
    stops = page.page.evaluate("map.getStyle().layers.find((layer) => layer.paint?.['line-gradient']).paint['line-gradient'].slice(3)")
    assert stops[0] == 0 and abs(stops[2] - 0.25) < 0.001 and stops[4] == 1, stops

    def colour(longitude):
        x, y = page.at(longitude, 46.6)
        red, green, blue = colours_in(page, {"x": x - 1, "y": y - 1, "width": 2, "height": 2})[0]
        return red - blue

    assert colour(9.01) < -100 and abs(colour(9.15)) < 90 and colour(9.35) > 100 and colour(10.1) > 100
    page.picture(f"example-gradient-{'dark' if dark else 'light'}")


def test_the_camera_stays_within_the_limits_of_the_program(shapes):
    program, page = shapes()
    program.say("range")
    program.line("done: range")
    page.page.locator("canvas").focus()

    def distance():
        # The camera is one and a half heights of the page away.
        return page.page.evaluate("""() => {
          const { clientHeight } = map.getContainer();
          const { lat } = map.getCenter();
          return 1.5 * clientHeight * 40075016.7 * Math.cos(lat * Math.PI / 180) / (512 * 2 ** map.getZoom());
        }""")

    def zoomed(key, expected):
        page.until("() => map.getMaxZoom() - map.getMinZoom() < 5")
        for _ in range(6):
            page.page.keyboard.press(key)
            page.settled()
        assert abs(distance() / expected - 1) < 0.02, distance()

    zoomed("Shift+-", 400_000)
    zoomed("Shift++", 50_000)
    program.say("boundary")
    program.line("done: boundary")
    for _ in range(6):
        page.page.keyboard.press("ArrowRight")
        page.settled()
    page.drag_map(-400, 200)
    page.settled()
    longitude, latitude = page.camera()["center"]
    east, south = 9.4 + 20_000 / 75_900, 47 - 20_000 / 111_200
    assert abs(longitude - east) < 0.01 and latitude >= south - 0.01, (longitude, latitude)
    # The program cannot leave it either.
    program.say("go")
    program.line("done: go")
    page.camera_until("Math.abs(c.longitude - 9.137) < 0.01 && Math.abs(c.latitude - 46.82) < 0.01")


def test_the_program_chooses_points_of_interest(regions, examples, open_page):
    program, address = examples("shapes", regions=regions)
    page = open_page(address)
    page.idle()
    page.jump(9.5217, 47.139, 16.5)

    def kinds():
        page.idle()
        return set(page.page.evaluate("""map.queryRenderedFeatures().filter(({ layer }) => layer["source-layer"] === "poi")
          .map(({ properties }) => properties.subclass ?? properties.class)"""))

    filters = "JSON.stringify(map.getStyle().layers.filter((layer) => layer['source-layer'] === 'poi').map(({ filter }) => filter))"

    def choose(words):
        old = page.page.evaluate(filters)
        program.say(words)
        page.until(f"(old) => {filters} !== old", old)
        return kinds()

    meals = {"cafe", "restaurant", "fast_food", "ice_cream", "food_court"}
    before = kinds()
    assert before - meals, before
    after = choose("cafes")
    assert after and after <= meals, after
    assert not choose("no points")
    assert choose("points") == before


def test_a_declared_map_changes_with_its_model(example):
    program, page = example("declared")
    for place in ["Bregenz", "Lindau", "Rorschach"]:
        expect(page.button(f"^{place}")).to_be_visible()
    page.button("^Lindau").click()
    program.line("Lindau is selected")
    drawn = "(place) => map.queryRenderedFeatures(map.project(place)).some(({ layer }) => layer.type === 'fill' && layer.source.startsWith('overlay'))"
    page.until(drawn, [9.69, 47.55])
    page.button("^Bregenz").click()
    program.line("Bregenz is selected")
    page.until(drawn, [9.75, 47.515])
    page.until(f"(place) => !({drawn})(place)", [9.69, 47.55])
    page.idle().picture("example-declared")
