"""Streets of real regions: what is drawn of them, its names, its contrast, where the world takes over, whom to credit."""

import io
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from browser import PHONE

VADUZ = "47.1395/9.5220"
RHINE = "47.1400/9.5080"
HELSINKI = "60.1705/24.9440"


@pytest.fixture(scope="module")
def program(served, regions):
    served.regions = regions
    return served.run("locationctl-map", "--mode", "none")[1]


@pytest.fixture(scope="module")
def street_page(program, chromium):
    """One page for all looks: opening it again is what takes time."""
    from browser import MapPage
    page = MapPage(chromium, f"{program}#map=14.0/{VADUZ}", locale="en-GB").idle()
    yield page
    page.close()


def go(page, view, zoom):
    latitude, longitude = map(float, view.split("/"))
    page.jump(longitude, latitude, zoom)
    page.idle()


def names(page, layer):
    return set(page.page.evaluate(
        "(layer) => map.queryRenderedFeatures({ layers: [layer] }).map(({ properties }) => properties.name)", layer))


@pytest.mark.smoke
def test_streets_and_places_have_their_names_from_the_extract(street_page):
    go(street_page, VADUZ, 15)
    assert {"Lettstrasse", "Schmedgass"} & names(street_page, "minor-name"), names(street_page, "minor-name")
    assert "Landstrasse" in names(street_page, "road-name") | names(street_page, "minor-name")
    assert "Vaduz" in names(street_page, "town-name")
    street_page.picture("streets-vaduz")


@pytest.mark.parametrize("kind", ["Hybrid", "Standard"])
def test_the_line_of_a_river_is_below_its_water(street_page, kind):
    street_page.page.get_by_role("button", name="Map type").click()
    street_page.page.get_by_role("menuitemradio", name=kind).click()
    go(street_page, RHINE, 15)
    street_page.until("() => ['waterway', 'water-area'].every((layer) => map.queryRenderedFeatures({ layers: [layer] }).length)")
    layers = street_page.layers()
    assert layers.index("waterway") < layers.index("water-area"), layers
    street_page.picture(f"river-{kind}")


def test_two_regions_are_one_map(street_page):
    go(street_page, HELSINKI, 16)
    assert "Kaivokatu" in names(street_page, "road-name") | names(street_page, "minor-name")
    found = street_page.page.evaluate("""new Set(map.queryRenderedFeatures({ layers: ["point"] })
      .map(({ layer }) => layer.layout["icon-image"].name ?? String(layer.layout["icon-image"]))).size""")
    assert found > 5, "points of interest have pictures of their kinds"
    street_page.picture("streets-helsinki")
    go(street_page, "60.1800/24.9470", 15)
    water = street_page.page.evaluate("map.queryRenderedFeatures({ layers: ['water-area'] }).map(({ properties }) => properties.class)")
    assert "ocean" in water, "the coast is closed"


def test_trams_and_trains_have_their_lines_along_the_tracks(street_page):
    go(street_page, HELSINKI, 16)
    lines = set(street_page.page.evaluate("map.queryRenderedFeatures({ layers: ['line-ref'] }).map(({ properties }) => properties.ref)"))
    assert lines and all(re.match(r"\w+( · \w+)*( …)?$", line) for line in lines), lines
    # They are no roads with a number.
    assert street_page.page.evaluate("map.queryRenderedFeatures({ layers: ['shield'] }).every(({ properties }) => properties.class !== 'line')")


def test_a_street_with_trams_has_its_name(street_page):
    go(street_page, "60.17050/24.93750", 16.5)
    assert "Mannerheimintie" in names(street_page, "road-name"), names(street_page, "road-name")
    street_page.picture("streets-trams")


def test_houses_have_their_numbers_at_the_scale_of_streets(street_page):
    go(street_page, "60.1650/24.9440", 16.3)
    assert street_page.page.evaluate("new Set(map.queryRenderedFeatures({ layers: ['house'] }).map(({ geometry }) => geometry.coordinates.join())).size") > 10


def test_labels_and_controls_have_the_typeface_of_the_page(street_page):
    faces = street_page.page.evaluate("[...document.fonts].map(({ family, weight, style, status }) => [family.replaceAll('\"', ''), weight, style, status])")
    assert sorted(faces) == [["Noto Sans", "400", "italic", "loaded"], ["Noto Sans", "400", "normal", "loaded"], ["Noto Sans", "700", "normal", "loaded"]]
    fonts = street_page.page.evaluate("map.getStyle().layers.flatMap(({ layout }) => JSON.stringify(layout?.['text-font'] ?? 'Noto Sans'))")
    assert all("Noto Sans" in font for font in fonts)
    assert street_page.page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Noto Sans"')


def test_within_a_region_the_world_gives_way(street_page):
    go(street_page, VADUZ, 10)
    inside = street_page.page.evaluate("""map.queryRenderedFeatures({ layers: ["place"] })
      .map(({ geometry }) => geometry.coordinates).filter(([x, y]) => x > 9.4711 && x < 9.6362 && y > 47.0478 && y < 47.2712)""")
    assert inside == []
    assert "Vaduz" in names(street_page, "town-name")
    # The world's border lies below the region's ground.
    order = street_page.layers()
    assert order.index("border") < order.index("floor") < order.index("ground") < order.index("border-country")
    # Its own borders only: the world's lie under the plain ground of the region, whether that has a coast or not.
    assert street_page.drawn(9.55, 47.15)[-1] != "floor" and "floor" in street_page.drawn(9.55, 47.15)
    assert street_page.page.evaluate("map.queryRenderedFeatures({ layers: ['border-country'] }).length") > 0
    street_page.picture("streets-hand-over")


def test_openstreetmap_is_credited_and_what_is_missing_is_said(street_page):
    go(street_page, VADUZ, 15)
    credit = street_page.page.locator(".attribution")
    expect(credit).to_contain_text("© OpenStreetMap contributors")
    hint = street_page.page.locator(".coverage")
    expect(hint).to_be_hidden()
    go(street_page, "48.1000/11.5000", 15)
    expect(hint.get_by_role("button", name="Add a region")).to_be_visible()


def test_streets_are_never_said_to_be_missing_where_they_are(street_page):
    go(street_page, VADUZ, 15)
    page = street_page.page
    street_page.context.add_init_script("""globalThis.hints = 0;
      new MutationObserver(() => { if (document.querySelector(".coverage:not([hidden])")) hints += 1; })
        .observe(document, { subtree: true, childList: true, attributes: true });""")
    for _ in range(2):
        page.reload()
        street_page.idle()
        street_page.until("() => map.areTilesLoaded()")
        assert page.evaluate("hints") == 0


def test_land_use_fades_along_the_outer_edges_of_regions_only(street_page):
    edges = street_page.page.evaluate("""async () => {
      const { outline } = await import(new URL("page/streets.js", document.baseURI));
      return outline([[0, 0, 2, 2], [2, 1, 4, 3]]);
    }""")
    assert [[0, 2], [2, 2]] in edges and [[2, 1], [2, 0]] in edges and [[4, 1], [2, 1]] in edges
    assert all([[2, 1], [2, 2]] != sorted(edge) for edge in edges)
    go(street_page, VADUZ, 12)
    order = street_page.layers()
    assert order.index("cover") < order.index("edge-0") < order.index("water-area") < order.index("road")


def test_the_ground_of_a_region_appears_little_by_little(street_page):
    """Where the tiles begin to have forests, the colour of one is near that of the land beside the region."""
    def most_frequent(zoom):
        street_page.jump(9.584, 47.113, zoom)
        street_page.idle()
        assert "cover" in street_page.drawn(9.584, 47.113)
        picture = Image.open(io.BytesIO(street_page.still().page.screenshot())).convert("RGB").crop((625, 385, 655, 415))
        return max(picture.getcolors(900))[1]

    land = (246, 242, 233)
    near, far = [max(abs(one - other) for one, other in zip(most_frequent(zoom), land)) for zoom in (9.05, 12.5)]
    assert 0 < near < 25 < 40 < far, (near, far)


def test_the_credit_is_whole_on_a_phone(program, open_page, site, regions):
    site.regions = regions
    site.serve("locationctl-map")
    page = open_page(site.run("locationctl-map", "--mode", "none")[1] + f"#map=15/{VADUZ}", size=PHONE, dark=True).idle()
    box = page.page.locator(".attribution span").bounding_box()
    assert 0 <= box["x"] and box["x"] + box["width"] <= PHONE["width"] and box["y"] + box["height"] <= PHONE["height"]
    assert page.page.evaluate("""(() => {
      const { left, top } = document.querySelector(".attribution").getBoundingClientRect();
      return document.elementFromPoint(left + 12, top + 8)?.closest(".attribution") !== null;
    })()"""), "nothing lies over it"
    page.picture("streets-phone-dark")


# WCAG 2.2: 4.5 for text, whatever lies under it and without its halo.
CONTRAST = """() => {
  const parse = (css) => { const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true }); c.fillStyle = css; c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const light = (rgb) => rgb.map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => { const [x, y] = [light(parse(a)), light(parse(b))].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const colours = (value) => typeof value === "string" ? [value] : Array.isArray(value) ? value.flatMap(colours) : [];
  const isColour = (text) => /^(#|rgb)/.test(text);
  const all = (id, property) => colours(map.getPaintProperty(id, property)).filter(isColour);
  const grounds = [...all("ground", "fill-color"), ...all("cover", "fill-color"), ...all("built", "fill-color"), ...all("use", "fill-color"), ...all("building", "fill-color")];
  const words = map.getStyle().layers.filter(({ type, source }) => type === "symbol" && source === "streets").flatMap(({ id }) =>
    id === "shield" ? [] : all(id, "text-color").map((colour) => ({ id, colour, least: Math.min(...(id.startsWith("water") ? all("water-area", "fill-color") : grounds).map((ground) => contrast(colour, ground))) })));
  // A road is seen by its edge or by its filling.
  const [edge, filling] = ["road-casing", "road"].map((id) => colours(map.getPaintProperty(id, "line-color")).filter(isColour));
  const land = all("ground", "fill-color")[0];
  const roads = edge.map((colour, index) => Math.max(contrast(colour, land), contrast(filling[index], land)));
  return { words, roads };
}"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_words_and_roads_stand_out_from_every_ground(street_page, dark):
    page = street_page.page
    page.emulate_media(color_scheme="dark" if dark else "light")
    page.wait_for_selector("html.dark" if dark else "html:not(.dark)")
    street_page.idle()
    measured = page.evaluate(CONTRAST)
    page.emulate_media(color_scheme="light")
    weak = [row for row in measured["words"] if row["least"] < 4.5]
    assert not weak, weak
    assert len(measured["roads"]) == 5 and min(measured["roads"]) > 1.5, measured["roads"]


CITY = {"name": "Helsinki", "name:ru": "Хельсинки", "name:ar": "هلسنكي", "name:sv": "Helsingfors"}


@pytest.mark.parametrize("language, properties, expected", [
    ("en-GB", CITY, "Helsinki"), ("ru", CITY, "Хельсинки"), ("ar", CITY, "Helsinki"), ("sv", CITY, "Helsingfors"),
    ("en", {"name": "München", "name_en": "Munich"}, "Munich"), ("en", {"name": "Zürich"}, "Zürich"), ("en", {"name": "Αθήνα", "name:latin": "Athens"}, "Αθήνα"),
    # Scripts that the map would break give way to Latin names, also where the reader would like them.
    ("en", {"name": "القاهرة", "name:latin": "Cairo"}, "Cairo"), ("he", {"name": "ירושלים", "name:latin": "Jerusalem"}, "Jerusalem"),
    ("hi", {"name": "दिल्ली", "name:latin": "Delhi"}, "Delhi"), ("th", {"name": "กรุงเทพ", "name:latin": "Bangkok"}, "Bangkok"), ("en", {"name": "القاهرة"}, ""),
])
def test_names_are_in_the_readers_language_if_the_map_can_write_it(street_page, language, properties, expected):
    written = street_page.page.evaluate("""async ([language, properties]) => {
      Object.defineProperty(navigator, "languages", { value: [language], configurable: true });
      // Another address is another module: this one sees these languages.
      const { NAME } = await import(new URL(`page/language.js?${language}`, document.baseURI));
      delete navigator.languages;
      map.addSource("probe", { type: "geojson", data: { type: "Feature", properties, geometry: { type: "Point", coordinates: map.getCenter().toArray() } } });
      map.addLayer({ id: "probe", type: "symbol", source: "probe", layout: { "text-field": ["concat", "[", NAME, "]"], "text-allow-overlap": true } });
      try {
        // The map may still become idle for what it showed before, so wait for the frame that has the text.
        const drawn = () => map.queryRenderedFeatures({ layers: ["probe"] })[0];
        await new Promise((resolve, reject) => {
          setTimeout(() => reject(new Error("the text was not drawn within 30 s")), 30_000);
          map.on("render", function look() {
            if (!drawn()) return;
            map.off("render", look);
            resolve();
          });
          map.triggerRepaint();
        });
        return drawn().layer.layout["text-field"].toString();
      } finally {
        map.removeLayer("probe");
        map.removeSource("probe");
      }
    }""", [language, properties])
    assert written == f"[{expected}]"


def test_hybrid_has_streets_over_the_picture(street_page):
    go(street_page, VADUZ, 8.5)
    page = street_page.page
    page.get_by_role("button", name="Map type").click()
    page.get_by_role("menuitemradio", name="Hybrid").click()
    page.wait_for_selector("html[data-type=hybrid]")
    street_page.idle()
    layers = street_page.layers()
    assert layers.index("picture:imagery") < layers.index("road") < layers.index("road-name")
    street_page.picture("streets-hybrid")
    # Where the pictures end, which have levels up to 6, the map has its own colours: streets, and not a smear.
    go(street_page, VADUZ, 14)
    page.wait_for_selector("html[data-type=hybrid][data-drawn=standard]")
    street_page.idle()
    assert "picture:imagery" not in street_page.layers() and "floor" in street_page.layers()
    street_page.picture("streets-beyond-pictures")
    go(street_page, VADUZ, 8.5)
    page.wait_for_selector("html[data-drawn=hybrid]")
    assert "picture:imagery" in street_page.idle().layers()
