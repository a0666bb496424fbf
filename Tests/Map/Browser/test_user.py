"""Where the user is, and following them: a service replays a walk."""

import json
import pathlib
import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def walk(site, open_page):
    def start(*arguments, page={}, **service):
        site.serve("locationctl-map", **service)
        _, address = site.run("locationctl-map", *arguments)
        return open_page(address, **page)
    return start


def dot(page):
    return page.page.locator(".user-dot")


def test_the_dot_its_circle_and_its_way(walk):
    page = walk("--mode", "none")
    expect(dot(page)).to_be_visible()
    first = page.page.evaluate("new DOMMatrix(getComputedStyle(document.querySelector('.user-dot')).transform).e")
    # It moves on by itself.
    page.until("(first) => new DOMMatrix(getComputedStyle(document.querySelector('.user-dot')).transform).e !== first", first)
    expect(dot(page)).to_have_attribute("aria-label", re.compile("^My Location|^Current"))


@pytest.mark.smoke
def test_the_tracking_button_follows_and_a_pan_leaves(walk):
    page = walk("--mode", "none")
    expect(dot(page)).to_be_visible()
    button = page.page.locator("button.tracking")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(button).to_have_attribute("data-mode", "follow")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.camera_until("c.zoom > 11.9")
    # The dot is in the middle, and stays there while it moves on.
    start = page.camera()["center"]
    moved = page.camera_until(f"c.longitude > {start[0]} + 0.0003")
    box = dot(page).bounding_box()
    assert abs(box["x"] + 12 - 640) < 3 and abs(box["y"] + 12 - 400) < 3, box
    # Zooming keeps following, panning does not.
    page.page.mouse.move(300, 200)
    page.page.mouse.wheel(0, -500)
    page.camera_until(f"c.zoom > {moved['zoom']} + 0.5")
    expect(button).to_have_attribute("data-mode", "follow")
    page.picture("follow")
    page.drag_map(150, 80)
    expect(button).to_have_attribute("data-mode", "none")
    expect(page.page.get_by_role("status")).to_contain_text(re.compile(".+"))


LONDON, BALZERS = (-0.127, 51.507), (9.50, 47.066)


def search(name, by):
    """Searches for a town, and chooses it: a suggestion, or a row of the list."""
    def act(page):
        field = page.page.get_by_role("combobox", name="Search the map")
        field.fill(name)
        # While nothing is typed, everything saved is listed.
        option = page.page.get_by_role("option").first
        expect(option).to_contain_text(name)
        if by == "click":
            option.click()
        else:
            field.press("ArrowDown")
            field.press("Enter")
    act.name = name
    return act


def link(longitude, latitude):
    """Opens an address with a view in the same page."""
    return lambda page: page.page.evaluate(f"location.hash = '#map=9.00/{latitude}/{longitude}'")


def keep(site):
    """Writes the user's file, with a saved place and a saved route at each of the two."""
    def feature(name, kind, coordinates):
        return {"type": "Feature", "id": name, "properties": {"name": name}, "geometry": {"type": kind, "coordinates": coordinates}}
    path = pathlib.Path(site.file("data"), "locationd/places.geojson")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [
        made for name, (x, y) in [("far", LONDON), ("near", BALZERS)] for made in [
            feature(f"Pier {name}", "Point", [x, y]), feature(f"Round {name}", "LineString", [[x - 0.01, y], [x, y + 0.005], [x + 0.01, y]])]]}))


def listed(name):
    """Chooses a line in the list of tracks."""
    def act(page):
        page.page.locator(".types-control > button").click()
        page.page.locator(".tracks-item").click()
        page.page.locator(".tracks .show").filter(has_text=name).click()
    return act


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
@pytest.mark.parametrize("place, move", [
    (LONDON, search("London", "click")), (LONDON, search("London", "Enter")), (BALZERS, search("Balzers", "click")),
    (LONDON, link(*LONDON)), (BALZERS, link(*BALZERS)),
    (LONDON, search("Pier far", "click")), (BALZERS, search("Pier near", "Enter")),
    (LONDON, search("Round far", "Enter")), (BALZERS, search("Round near", "click")),
    (LONDON, listed("Round far")), (BALZERS, listed("Round near")),
], ids=["far-click", "far-enter", "near-click", "far-link", "near-link", "far-place", "near-place", "far-route", "near-route", "far-track", "near-track"])
def test_what_is_chosen_while_following_is_shown(walk, site, place, move, motion):
    keep(site)
    page = walk(page={"locale": "en-GB", "reduced_motion": motion})
    button = page.page.locator("button.tracking")
    expect(button).to_have_attribute("data-mode", "follow")
    page.camera_until("c.zoom > 11.9")
    page.settled()
    # How often the map was elsewhere than at its start and its end: a flight is seen, a jump is not.
    page.page.evaluate("() => { window.seen = new Set(); map.on('move', () => seen.add(map.getCenter().lng.toFixed(1))); }")
    move(page)
    # The middle of what belongs to London is not the middle of London.
    near = 0.4 if place == LONDON else 0.03
    page.camera_until(f"Math.hypot(c.longitude - {place[0]}, c.latitude - {place[1]}) < {near}")
    expect(button).to_have_attribute("data-mode", "none")
    page.settled()
    # It stays there: a step that came from before would have moved it back by now.
    walked = page.page.locator(".user-dot").evaluate("(dot) => dot.style.transform")
    page.until("(walked) => document.querySelector('.user-dot').style.transform !== walked", walked)
    shown = page.camera()
    assert abs(shown["center"][0] - place[0]) < near and abs(shown["center"][1] - place[1]) < near, shown
    if place == LONDON and motion == "no-preference" and not move.__qualname__.startswith("link"):
        assert page.page.evaluate("seen.size") > 2
        # The whole town.
        assert getattr(move, "name", "") != "London" or shown["zoom"] < 12.5, shown


def cone_points(page):
    """Where the heading cone points on the screen, in degrees clockwise from up, by what is drawn of it."""
    return page.page.evaluate("""() => {
      const middle = ({ left, top, width, height }) => [left + width / 2, top + height / 2];
      const [x, y] = middle(document.querySelector(".cone path").getBoundingClientRect());
      const [fromX, fromY] = middle(document.querySelector(".user-dot .disc").getBoundingClientRect());
      return (Math.atan2(x - fromX, fromY - y) * 180 / Math.PI + 360) % 360;
    }""")


def test_the_map_turns_by_the_heading_until_it_is_turned_by_hand(walk):
    # Sideways: where the nose points is not the way one goes, which is 60 degrees.
    page = walk("--mode", "none", compass=120)
    cone = page.page.locator(".user-ground .cone")
    expect(cone).to_be_visible()
    assert abs(cone_points(page) - 120) < 5, cone_points(page)
    page.idle().picture("heading-cone")
    button = page.page.locator("button.tracking")
    button.click()
    expect(button).to_have_attribute("data-mode", "follow")
    page.camera_until("c.zoom > 11.9")
    assert page.settled()["heading"] == 0
    button.click()
    expect(button).to_have_attribute("data-mode", "followWithHeading")
    expect(button).to_have_attribute("aria-label", "Following my location and heading")
    page.camera_until("Math.abs(c.heading - 120) < 0.5")
    # The nose is up now; the dot is still in the middle.
    assert min(cone_points(page), 360 - cone_points(page)) < 5, cone_points(page)
    box = page.page.locator(".user-dot .disc").bounding_box()
    assert abs(box["x"] + box["width"] / 2 - 640) < 3 and abs(box["y"] + box["height"] / 2 - 400) < 3, box
    page.idle().picture("heading-up")
    page.turn_map(-150)
    expect(button).to_have_attribute("data-mode", "follow")
    turned = page.camera_until("Math.abs(c.heading - 120) > 20")
    # It follows on, turned as the person turned it.
    page.camera_until(f"Math.abs(c.longitude - {turned['longitude']}) > 0.0002")
    assert abs(page.camera()["heading"] - 120) > 20, page.camera()
    # The next press turns it by the heading again, and the one after that ends following.
    button.click()
    page.camera_until("Math.abs(c.heading - 120) < 0.5")
    button.click()
    expect(button).to_have_attribute("data-mode", "none")


def test_without_a_compass_there_is_no_cone_and_the_button_leaves_following(walk):
    page = walk("--mode", "none")
    expect(dot(page)).to_be_visible()
    expect(page.page.locator(".user-ground .cone")).to_be_hidden()
    button = page.page.locator("button.tracking")
    button.click()
    expect(button).to_have_attribute("data-mode", "follow")
    button.click()
    expect(button).to_have_attribute("data-mode", "none")


def test_while_only_the_dot_moves_the_map_is_not_drawn_again(site, open_page):
    # An example without a trail: a line that grows is drawn, and has to be.
    site.serve("MapExamples")
    page = open_page(site.run("MapExamples", "bar")[1])
    expect(dot(page)).to_be_visible()
    page.idle()
    figures = page.page.evaluate("""new Promise((resolve) => {
      let frames = 0, repaints = 0;
      const painted = () => { repaints += 1; };
      map.on('render', painted);
      const start = performance.now();
      const step = (now) => {
        frames += 1;
        if (now - start < 1500) return requestAnimationFrame(step);
        map.off('render', painted);
        resolve({ frames: frames / (now - start) * 1000, repaints: repaints / (now - start) * 1000 });
      };
      requestAnimationFrame(step);
    })""")
    print(f"\npage: {figures['frames']:.0f} frames/s, {figures['repaints']:.1f} repaints/s while the dot moves")
    assert figures["repaints"] == 0, figures


def test_the_heading_is_waited_for(walk, site):
    # The first fixes come before the compass.
    page = walk("--mode", "followWithHeading", compass=120, compass_from=4)
    button = page.page.locator("button.tracking")
    expect(dot(page)).to_be_visible()
    expect(button).to_have_attribute("data-mode", "followWithHeading")
    # Until then the course is up, which is 60 degrees.
    expect(button).to_have_attribute("aria-label", "Following my location and course, without a heading")
    page.camera_until("c.zoom > 11.9 && Math.abs(c.heading - 60) < 2")
    page.camera_until("Math.abs(c.heading - 120) < 0.5")
    expect(button).to_have_attribute("aria-label", "Following my location and heading")


def test_following_stays_on_the_track_and_reports_once_a_second(walk):
    page = walk("--mode", "follow")
    expect(dot(page)).to_be_visible()
    page.page.evaluate("() => { map.jumpTo({ zoom: 16 }); }")
    posts = []
    start = page.settled()["center"][0]
    page.page.on("request", lambda request: posts.append(request.post_data) if request.method == "POST" else None)
    off = page.page.evaluate("""([start, latitude, longitude]) => new Promise((resolve) => {
      // The track goes east by north-east at 60 degrees: 40 m take 5 s.
      let most = 0;
      const metres = 40075016.686 / 360;
      const look = () => {
        const { lng, lat } = map.getCenter();
        const east = (lng - longitude) * metres * Math.cos(latitude * Math.PI / 180);
        const north = (lat - latitude) * metres;
        const aside = Math.abs(east * Math.cos(Math.PI / 3) - north * Math.sin(Math.PI / 3));
        most = Math.max(most, aside / (metres * 360 * Math.cos(latitude * Math.PI / 180) / (512 * 2 ** map.getZoom())));
        if (lng > start + 0.00046) { map.off("render", look); resolve(most); }
      };
      map.on("render", look);
    })""", [start, 47.141, 9.5215])
    assert off < 1, off
    # Five seconds at 8 m/s.
    assert 1 <= len(posts) <= 9, posts


def test_nothing_is_announced_before_there_is_a_location_to_follow(walk):
    page = walk("--mode", "follow", policy={})
    page.page.get_by_role("dialog").wait_for()
    status = page.page.get_by_role("status")
    expect(status).not_to_contain_text("Following")
    page.page.get_by_role("dialog").get_by_role("button", name=re.compile("Don.t Allow"), disabled=False).click()
    expect(page.page.get_by_role("dialog")).to_have_count(0)
    expect(status).not_to_contain_text("Following")


def test_the_dot_turns_grey_when_positions_end_and_blue_when_they_come_again(walk, site):
    page = walk("--mode", "none")
    expect(dot(page)).to_be_visible()
    site.programs[0].end()
    expect(dot(page)).to_have_class(re.compile("is-stale"))
    expect(page.page.locator(".pill")).to_be_visible()
    page.picture("stale")
    site.start()
    expect(dot(page)).not_to_have_class(re.compile("is-stale"))
    expect(page.page.locator(".pill")).to_be_hidden()


def test_reduced_accuracy_is_a_soft_circle_without_a_dot(walk):
    page = walk("--mode", "none", more={"NSLocationDefaultAccuracyReduced": True})
    expect(page.page.locator(".user-ground.is-reduced .accuracy")).to_be_visible()
    expect(page.page.locator(".user-dot .disc")).to_be_hidden()
    expect(page.page.locator(".pill")).to_be_visible()
    page.idle().picture("reduced")


def test_without_the_service_the_page_says_what_to_run_and_no_path(site, open_page):
    page = open_page(site.run("locationctl-map", "--mode", "none")[1]).idle()
    pill = page.page.locator(".pill")
    expect(pill.locator(".sentence")).to_have_text("The location service cannot be reached.")
    expect(pill.locator("code")).to_have_text("locationctl doctor")
    assert site.path not in pill.inner_text()
    page.picture("no-service")


@pytest.mark.parametrize("choice", ["While Using", "Don’t Allow"])
def test_the_permission_prompt_is_answered_in_the_page(walk, choice):
    page = walk("--mode", "none", policy={})
    dialog = page.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Shows your place on the map.")
    # Nothing is allowed by a key pressed by chance: the question has the focus, not an answer.
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    page.idle().picture(f"prompt-{'yes' if 'Using' in choice else 'no'}")
    # The answers have the width of the dialog, and their texts are in its middle.
    box = dialog.bounding_box()
    for answer in dialog.get_by_role("button").all():
        assert abs(answer.bounding_box()["width"] - box["width"]) < 4, answer.bounding_box()
        assert answer.evaluate("(button) => getComputedStyle(button).textAlign") == "center"
    dialog.get_by_role("button", name=re.compile(choice.replace("’", ".")), disabled=False).first.click()
    expect(dialog).to_have_count(0)
    pill = page.page.locator(".pill")
    if "Using" in choice:
        # Without a session there is no use to speak of: even then the answer is taken, and it is said what to do.
        expect(dot(page).or_(pill)).to_be_visible()
        if dot(page).is_visible():
            return
        expect(pill).to_have_attribute("data-status", "suspended")
        command = "locationctl allow --always org.example.locationctl-map"
    else:
        expect(dot(page)).to_have_count(0)
        expect(pill).to_have_attribute("data-status", "denied")
        command = "locationctl allow org.example.locationctl-map"
    expect(pill.locator("code")).to_have_text(command)
    # One sentence.
    assert len(re.findall(r"[.!?](\s|$)", pill.locator(".sentence").text_content())) == 1
    page.idle().picture(f"after-{'yes' if 'Using' in choice else 'no'}")
    pill.get_by_role("button", name="Copy the command").click()
    expect(page.page.locator(".notice")).to_have_text("Command copied")
    assert page.page.evaluate("navigator.clipboard.readText()") == command
    # The tracking button says nothing that is there already.
    page.page.locator("button.tracking").click()
    assert page.page.locator(".announcements").get_by_text(command).count() == 1
