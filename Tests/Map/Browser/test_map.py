"""The map itself: what is drawn, types, light and dark, gestures, controls, the address, several pages."""

import re

import pytest
from playwright.sync_api import expect

from browser import IDLE, LIMIT, PHONE, UNTIL, MapPage
from tracks import gpx


@pytest.fixture(scope="module")
def program(served):
    return lambda *arguments: served.run("locationctl-map", "--mode", "none", *(arguments or [gpx(served)]))


LABEL_LAYERS = "map.getStyle().layers.filter((layer) => layer.type === 'symbol').map((layer) => layer.id)"


@pytest.fixture
def map_page(program, open_page):
    return lambda **options: open_page(program()[1], **options).idle()


@pytest.mark.parametrize("size, dark", [
    pytest.param("wide", False, marks=pytest.mark.smoke), ("wide", True), ("phone", False), ("phone", True),
], ids=["wide-light", "wide-dark", "phone-light", "phone-dark"])
def test_the_map_is_drawn_by_type_and_by_light(map_page, dark, size):
    page = map_page(dark=dark, **({"size": PHONE} if size == "phone" else {}))
    look = f"{size}-{'dark' if dark else 'light'}"
    land = page.page.evaluate("map.getPaintProperty('land', 'fill-color')")
    assert land == ("#292c32" if dark else "#f6f2e9")
    assert "overlay:" in " ".join(page.layers())
    labels = page.page.evaluate(LABEL_LAYERS)
    page.picture(f"standard-{look}")
    for name in ["Satellite", "Hybrid", "Standard"]:
        page.page.get_by_role("button", name="Map type").click()
        page.page.get_by_role("menuitemradio", name=name).click()
        page.page.wait_for_selector(f"html[data-type={name.lower()}]")
        page.jump(9.52, 47.14, 7)
        page.page.wait_for_selector(f"html[data-drawn={name.lower()}]")
        page.idle()
        layers = page.layers()
        assert ("picture:imagery" in layers) == (name != "Standard")
        assert ("country-name" in layers) == (name != "Satellite")
        # MapLibre fails if they are removed and added again while tiles come in.
        assert page.page.evaluate(LABEL_LAYERS) == labels
        if name != "Standard":
            page.picture(f"{name.lower()}-{look}")
        # What lies on the map outlasts the change, and where the pictures end the map has its own colours.
        page.jump(9.52, 47.14, 13)
        page.page.wait_for_selector("html[data-drawn=standard]")
        page.idle()
        assert "picture:imagery" not in page.layers()
        assert any(layer.startswith("overlay:") for layer in page.layers())
        expect(page.button("^Castle")).to_be_visible()
        expect(page.page.locator(".coverage")).to_contain_text("No pictures this close" if name != "Standard" else "World map only")


def names(page, layer):
    """The names that are drawn, each as often as it is: parts of one label come from several tiles."""
    return page.page.evaluate("""(layer) => [...new Map(map.queryRenderedFeatures({ layers: [layer] })
      .map(({ properties, geometry }) => [properties.name + geometry.coordinates.map((degrees) => degrees.toFixed(1)), properties.name])).values()]""", layer)


@pytest.fixture(scope="module")
def world_page(served, chromium):
    """One page for looks at the world: opening it again is what takes time."""
    page = MapPage(chromium, served.run("locationctl-map", "--mode", "none")[1]).idle()
    yield page
    page.close()


@pytest.mark.parametrize("size, least", [("wide", 30), ("phone", 12)])
def test_the_first_view_names_countries_and_each_ocean_once(served, open_page, size, least):
    page = open_page(served.run("locationctl-map", "--mode", "none")[1], **({"size": PHONE} if size == "phone" else {})).idle()
    countries = names(page, "country-name")
    assert len(countries) >= least and "Spain" in countries, countries
    oceans = names(page, "sea")
    assert "Atlantic Ocean" in oceans and len(oceans) == len(set(oceans)), oceans
    page.picture(f"first-{size}")
    page.jump(-84, 45, 5)
    page.idle()
    lakes = names(page, "lake-name")
    assert "Lake Superior" in lakes and len(lakes) == len(set(lakes)), lakes


def test_the_larger_countries_of_europe_have_their_names_before_smaller_ones(world_page):
    world_page.jump(12, 48, 1.6)
    countries = names(world_page.idle(), "country-name")
    assert {"France", "Germany", "Italy", "Spain", "United Kingdom"} <= set(countries), countries


def test_the_coast_is_fine_up_to_the_scale_of_a_town(world_page):
    page = world_page
    page.jump(24.95, 60.17, 10.5)
    page.idle()
    page.picture("coast")
    # The islands of Lauttasaari and Vallisaari, and the waters around them.
    for longitude, latitude, is_land in [(24.875, 60.157, True), (25.0, 60.137, True), (24.87, 60.175, False), (24.96, 60.12, False)]:
        drawn = page.drawn(longitude, latitude)
        assert ("land" in drawn) == is_land and "ocean" in drawn, (longitude, latitude, drawn)


def test_what_has_not_come_yet_is_neither_land_nor_sea(world_page):
    colours = world_page.page.evaluate("""[["background", "background-color"], ["ocean", "fill-color"], ["land", "fill-color"]]
      .map(([layer, property]) => map.getPaintProperty(layer, property))""")
    assert len(set(colours)) == 3, colours


def test_hills_have_shadows_where_no_region_is(world_page):
    page = world_page
    page.jump(9, 46.5, 5)
    page.idle()
    assert page.page.evaluate("map.isSourceLoaded('relief') && map.getLayoutProperty('relief', 'visibility') !== 'none'")
    alps, sea = (page.page.evaluate("""(place) => {
      const { x, y } = map.project(place);
      return new Promise((resolve) => { map.once("render", () => {
        const gl = map.getCanvas().getContext("webgl2");
        const ratio = devicePixelRatio, seen = new Set(), pixel = new Uint8Array(4);
        for (let step = 0; step < 40; step++) {
          gl.readPixels((x + step) * ratio, map.getCanvas().height - y * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
          seen.add(pixel.slice(0, 3).join());
        }
        resolve(seen.size);
      }); map.triggerRepaint(); });
    }""", place) for place in ([10.0, 46.6], [5.5, 41.5]))
    assert alps > 10 and sea == 1, (alps, sea)


def test_a_change_of_the_readers_light_changes_the_map(map_page):
    page = map_page()
    page.page.emulate_media(color_scheme="dark")
    page.page.wait_for_selector("html.dark")
    page.idle()
    assert page.page.evaluate("map.getPaintProperty('land', 'fill-color')") == "#292c32"
    assert any(layer.startswith("overlay:") for layer in page.layers())


def test_dragging_pans_the_wheel_zooms_and_keys_do_both(map_page):
    page = map_page()
    before = page.camera()
    page.drag_map(-200, 0)
    page.camera_until(f"c.longitude > {before['center'][0]} + 0.001")
    after = page.settled()
    page.page.mouse.move(640, 400)
    page.page.mouse.wheel(0, -400)
    page.camera_until(f"c.zoom > {after['zoom']} + 0.5")
    zoomed = page.settled()
    page.page.locator("canvas").focus()
    page.page.keyboard.press("ArrowUp")
    page.camera_until(f"c.latitude > {zoomed['center'][1]}")
    page.settled()
    page.page.keyboard.press("-")
    page.camera_until(f"c.zoom < {zoomed['zoom']} - 0.5")


def test_the_compass_shows_when_the_map_is_turned_and_turns_it_north(map_page):
    page = map_page()
    compass = page.page.locator(".compass")
    if compass.count() == 0:
        pytest.skip("this program has no compass")
    expect(compass).to_be_hidden()
    page.turn_map(160)
    page.camera_until("Math.abs(c.heading) > 20")
    expect(compass).to_be_visible()
    page.picture("turned")
    page.button("Turn north up").click()
    page.camera_until("c.heading === 0")
    expect(compass).to_be_hidden()


def test_zoom_buttons_zoom_and_the_scale_shows_meanwhile(map_page):
    page = map_page(locale="en-CH")
    zoom = page.camera()["zoom"]
    page.button("Zoom in").click()
    expect(page.page.locator(".scale")).not_to_have_class("control scale is-away")
    page.camera_until(f"c.zoom > {zoom} + 0.4")
    page.settled()
    text = page.page.locator(".scale-text").inner_text()
    assert text.split()[1] in ("m", "km"), text
    width = page.page.locator(".scale-bar").bounding_box()["width"]
    metres = float(text.split()[0].replace(",", "")) * (1000 if text.endswith("km") else 1)
    real = page.page.evaluate("""() => {
      const { clientWidth, clientHeight } = map.getContainer();
      return map.unproject([clientWidth / 2, clientHeight / 2]).distanceTo(map.unproject([clientWidth / 2 + 100, clientHeight / 2])) / 100;
    }""") * width
    assert abs(real / metres - 1) < 0.05, (real, metres)


def test_the_scale_counts_in_miles_where_the_reader_does(program, open_page):
    _, address = program()
    page = open_page(address + "#map=12.00/47.1400/9.5200", locale="en-US").idle()
    page.button("Zoom out").click()
    page.camera_until("c.zoom < 11.1")
    assert page.page.locator(".scale-text").inner_text() == "1 mi"
    page.jump(9.52, 47.14, 12.4)
    assert page.page.locator(".scale-text").inner_text() == "0.5 mi"


@pytest.mark.parametrize("place, zoom, name, others", [
    ((33.2, 35), 6, "Cyprus", {"Akrotiri Sovereign Base Area", "Dhekelia Sovereign Base Area"}),
    ((12.5, 41.9), 5.5, "Rome", {"Vatican"}),
    ((19.2, 47.4), 6.5, "Budapest", {"Pest", "Buda"}),
    ((19.05, 47.5), 9, "Budapest", {"Pest", "Buda"}),
])
def test_a_capital_and_a_country_are_named_before_what_is_within_them(map_page, place, zoom, name, others):
    page = map_page(locale="en-GB")
    page.jump(*place, zoom)
    page.idle()
    found = {*names(page, "place"), *names(page, "town"), *names(page, "country-name")}
    assert name in found and not others & found, found


@pytest.mark.parametrize("locale, place, zoom, known", [
    ("de-DE", (14, 44), 5, {"Adriatisches Meer", "Österreich"}),
    ("fr-FR", (14, 44), 5, {"Mer Adriatique", "Autriche"}),
    ("ja-JP", (137, 37), 6.2, {"金沢", "新潟", "長野"}),
    ("ja-JP", (136, 40), 4.6, {"日本海", "日本"}),
])
def test_the_world_has_the_names_of_the_pages_language(map_page, locale, place, zoom, known):
    page = map_page(locale=locale)
    page.jump(*place, zoom)
    page.idle()
    # What the layers are told to write: the name in the language, by the expression that MapLibre evaluates.
    written = page.page.evaluate("""(language) => map.queryRenderedFeatures({ layers: ["place", "town", "sea", "country-name"] })
      .map(({ properties }) => properties[`name:${language}`] ?? properties.name)""", locale[:2])
    assert known <= set(written), set(written)


def test_letters_are_whole_at_their_left(map_page):
    page = map_page(locale="en-GB")
    page.jump(136, 40, 4.6)
    page.idle()
    page.picture("sea-of-japan")
    # The hook of the J begins left of where the letter does.
    left = page.page.evaluate("""() => Object.entries(map.style.glyphManager.entries)
      .filter(([fonts, { glyphs }]) => /italic/i.test(fonts) && glyphs[74]).map(([, { glyphs }]) => glyphs[74].metrics.left)""")
    assert left and all(bearing < 0.5 for bearing in left), left


def test_a_link_to_openstreetmap_leads_others_to_the_place(map_page):
    page = map_page(locale="en-GB")
    page.jump(9.5, 47.1, 12)
    page.page.mouse.click(500, 400, button="right")
    page.page.get_by_role("menuitem", name="Copy an OpenStreetMap link").click()
    link = page.page.evaluate("navigator.clipboard.readText()")
    found = re.fullmatch(r"https://www\.openstreetmap\.org/\?mlat=([\d.]+)&mlon=([\d.]+)#map=13/\1/\2", link)
    assert found and abs(float(found[1]) - 47.1) < 0.1 and abs(float(found[2]) - 9.5) < 0.1, link


def test_the_address_keeps_the_view(program, open_page):
    _, address = program()
    page = open_page(address + "#map=9.50/46.9500/7.4500").idle()
    camera = page.camera()
    assert abs(camera["center"][1] - 46.95) < 1e-6 and abs(camera["zoom"] - 9.5) < 1e-6
    page.drag_map(-150, 0)
    page.until("() => location.hash !== '#map=9.50/46.9500/7.4500'")
    moved = page.camera()
    page.page.reload()
    page.idle()
    again = page.camera()
    assert abs(again["center"][0] - moved["center"][0]) < 0.002
    assert abs(again["center"][0] - 7.45) > 0.05


def test_several_pages_show_the_same_map(program, open_page):
    _, address = program()
    one = open_page(address).idle()
    # The second page is another tab of the same browser: it has the cookie.
    other = one.context.new_page()
    one._watch(other)
    other.goto(one.page.url.split("#")[0])
    other.evaluate(IDLE)
    one.drag_map(-200, 100)
    target = one.camera()["center"]
    other.evaluate(UNTIL % ("(longitude) => Math.abs(map.getCenter().lng - longitude) < 0.003", LIMIT), target[0])


def test_the_context_menu_copies_coordinates_and_centres(map_page):
    page = map_page()
    place = page.page.evaluate("map.unproject([900, 300]).toArray()")
    page.page.mouse.click(900, 300, button="right")
    menu = page.page.get_by_role("menu")
    expect(menu).to_be_visible()
    page.picture("menu")
    text = menu.get_by_role("menuitem").first.inner_text()
    menu.get_by_role("menuitem").first.click()
    expect(page.page.get_by_text("Coordinates copied").last).to_be_visible()
    assert page.page.evaluate("navigator.clipboard.readText()") == text
    latitude, longitude = (float(part) for part in text.split(","))
    assert abs(latitude - place[1]) < 0.001 and abs(longitude - place[0]) < 0.001
    page.page.mouse.click(900, 300, button="right")
    page.page.get_by_role("menuitem", name="Centre here").click()
    page.camera_until(f"Math.abs(c.longitude - {place[0]}) < 0.001 && Math.abs(c.latitude - {place[1]}) < 0.001")


def test_the_menu_opens_by_long_press_and_closes_by_escape(map_page):
    page = map_page(size=PHONE)
    touch = page.context.new_cdp_session(page.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 150, "y": 600}]})
    expect(page.page.get_by_role("menu")).to_be_visible()
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.page.get_by_role("menu")).to_be_visible()
    page.page.keyboard.press("ArrowDown")
    expect(page.page.get_by_role("menuitem").nth(1)).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(page.page.get_by_role("menu")).to_have_count(0)


def test_full_screen_and_credits(map_page):
    page = map_page()
    page.button("Full screen").click()
    expect(page.button("Leave full screen")).to_be_visible()
    assert page.page.evaluate("document.fullscreenElement !== null")
    page.button("Leave full screen").click()
    expect(page.button("Full screen")).to_be_visible()
    with page.context.expect_page() as opened:
        page.page.get_by_role("link", name="Credits").click()
    expect(opened.value.get_by_role("heading", name="MapLibre GL JS", exact=True)).to_be_visible()
    expect(page.page.locator(".attribution")).to_contain_text("Natural Earth")


def test_satellite_pictures_have_no_seams_between_tiles(program, open_page):
    page = open_page(program()[1]).idle()
    # Pairs of tiles side by side, and one above the other, of Europe. The mean of nine pixels tells a grid from the picture's own grain.
    seams = page.page.evaluate("""async () => {
      const { seamless } = await import(new URL("page/seams.js", document.baseURI));
      const address = (x, y) => new URL(`tiles/imagery/6/${x}/${y}`, document.baseURI).href;
      const raw = async (x, y) => {
        const picture = await createImageBitmap(await (await fetch(address(x, y))).blob());
        const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
        context.drawImage(picture, 0, 0);
        return context.getImageData(0, 0, picture.width, picture.height);
      };
      const seam = (one, other, isBeside) => {
        const { width } = one;
        const at = (image, x, y) => image.data[4 * (y * width + x)];
        const steps = Array.from({ length: width }, (_, index) => isBeside
          ? at(other, 0, index) - at(one, width - 1, index) : at(other, index, 0) - at(one, index, width - 1));
        const means = steps.slice(8).map((_, index) => Math.abs(steps.slice(index, index + 9).reduce((sum, step) => sum + step) / 9));
        return means.reduce((sum, mean) => sum + mean) / means.length;
      };
      const sum = [0, 0];
      for (const [x, y] of [[32, 22], [33, 22], [36, 22]]) {
        for (const [index, read] of [raw, (...tile) => seamless(address(...tile))].entries()) {
          const [one, beside, below] = await Promise.all([read(x, y), read(x + 1, y), read(x, y + 1)]);
          sum[index] += seam(one, beside, true) + seam(one, below, false);
        }
      }
      return sum;
    }""")
    assert seams[1] < 0.4 * seams[0], seams
