"""What the tests share: one browser, a site for each module, pages that are closed and judged at a test's end."""

import pathlib

import pytest
from playwright.sync_api import sync_playwright

from browser import OPTIONS, MapPage
from service import Regions, Site


# Only in the whole suite: Firefox takes packages of its own and some minutes.
LONG = "test_firefox.py"
ROOMS = {file.name for file in pathlib.Path(__file__).parent.glob("test_*.py")} - {LONG}


def pytest_configure(config):
    config.addinivalue_line("markers", "smoke: the one test of each file that every change gets")


def pytest_ignore_collect(collection_path, config):
    return True if config.option.markexpr == "smoke" and collection_path.name == LONG else None


def pytest_collection_finish(session):
    """Each file has a test in the short form."""
    if session.config.option.markexpr == "smoke":
        missing = ROOMS - {item.path.name for item in session.items}
        if missing:
            raise pytest.UsageError(f"no test of {', '.join(sorted(missing))} is marked with smoke")


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def regions():
    made = Regions()
    yield made.path
    made.end()


@pytest.fixture(scope="module")
def served():
    """A site of a module, whose service serves `locationctl-map`."""
    made = Site()
    made.serve("locationctl-map")
    yield made
    made.end()


@pytest.fixture(scope="module")
def program(served, regions):
    """Starts map programs with regions, and gives their addresses."""
    served.regions = regions
    return lambda: served.run("locationctl-map", "--mode", "none")[1]


@pytest.fixture
def site():
    made = Site()
    yield made
    made.end()


@pytest.fixture
def open_page(chromium):
    """Opens pages; at the end each must have been without an error and without a request to elsewhere."""
    pages = []

    def open_one(address, **options):
        pages.append(MapPage(chromium, address, **options))
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()
