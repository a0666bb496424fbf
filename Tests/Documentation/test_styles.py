"""The styles of the map's page: no component is styled by the rules of another one."""
import re
import unittest

from pages import REPOSITORY

PAGE = REPOSITORY / "Sources/Map/LocationMap/Page"


def selectors(file):
    """The single selectors of a style sheet."""
    text = re.sub(r"/\*.*?\*/", "", (PAGE / file).read_text(), flags=re.S)
    # The steps of an animation have no class. Those of a media query do.
    text = re.sub(r"@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*\s*\}", "", text)
    return [selector.strip() for rule in re.findall(r"([^{}]+)\{", text) for selector in re.split(r",(?![^(]*\))", rule) if "@" not in rule]


def classes(selector):
    """The classes in a selector, without those of states, such as `is-selected`."""
    return {name for name in re.findall(r"\.([A-Za-z][\w-]*)", selector) if not name.startswith("is-")}


class StyleTests(unittest.TestCase):
    def test_a_class_of_two_components_is_styled_within_each_only(self):
        sheets = ["page.css", "views.css"]
        styled = {sheet: set().union(*map(classes, selectors(sheet))) for sheet in sheets}
        shared = set.intersection(*styled.values())
        # A rule for a class by itself, or for what is in an element with it, reaches the other component too.
        loose = {(sheet, selector) for sheet in sheets for selector in selectors(sheet)
                 for first in [re.match(r"\.([\w-]+)(?![\w.-])", selector)] if first and first[1] in shared}
        # What the callout itself is called, and the frame that it has in forced colours.
        self.assertEqual({(sheet, selector) for sheet, selector in loose
                          if not re.match(r"\.callout(-body)?(?![\w-])", selector)}, set())


if __name__ == "__main__":
    unittest.main()
