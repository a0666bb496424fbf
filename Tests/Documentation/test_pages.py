"""Every command of the README and the Recipes is run by a test, and every command that a page mentions exists."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

from pages import FLEET, README, RECIPES, REPOSITORY, commands, files, sections

CATALOGUE = REPOSITORY / "Sources/Programs/LocationDaemon/LocationDaemon.docc"
PAGES = [REPOSITORY / README, REPOSITORY / ".github/CONTRIBUTING.md", REPOSITORY / ".github/SECURITY.md",
         *sorted(CATALOGUE.glob("*.md"))]

# The test that runs the commands of a section. It names the section.
TESTS = {
    README: {
        "Install": "Tests/System/test_newcomer.py",
        "For programmers": "Tests/System/test_newcomer.py",
    },
    RECIPES: "Tests/System/test_recipes.py",
    FLEET: "Tests/System/test_fleet.py",
}
# Commands that are run with other arguments, by the test that does.
ELSEWHERE = {
    "ip -brief address": "Tests/Sharing/Bridge/test_bridge.py",
    "sudo locationctl share add bridge nmea --listen eth0:10110 --system": "Tests/Sharing/Bridge/test_bridge.py",
    "sudo locationctl allow --always org.locationd.share --user locationd-share": "Tests/Sharing/Bridge/test_bridge.py",
    "sudo locationctl share start bridge --indefinitely --system": "Tests/Sharing/Bridge/test_bridge.py",
    "sudo apt install tilemaker osmium-tool": "Makefile",
    "locationctl map add region.osm.pbf": "Tests/Programs/LocationctlMapTests/RegionMakingTests.swift",
    "locationctl map": "Tests/Map/Browser/service.py",
    "locationctl fleet list --broker mqtts://broker.example --ca server.crt --password-file viewer":
        "Tests/Sharing/SharingProgramTests/FleetCommandTests.swift",
    "locationctl fleet watch --broker mqtts://broker.example --ca server.crt --password-file viewer --format json":
        "Tests/Sharing/SharingProgramTests/FleetCommandTests.swift",
    "locationctl map --open --fleet mqtts://broker.example --ca server.crt --password-file viewer": "Tests/Map/Browser/test_fleet.py",
    'locationctl search "bakery open now"': "Tests/Map/PlaceSearchTests/SearchCommandTests.swift",
    'locationctl search "pharmacy"': "Tests/EndToEndTests/FormatTests.swift",
}


def described():
    """The commands of locationctl with their options and subcommands, as it and the share program describe themselves."""

    def description(*program):
        text = subprocess.run([REPOSITORY / ".build/debug" / program[0], *program[1:], "--experimental-dump-help"],
                              capture_output=True, text=True, check=True).stdout
        return json.loads(text)["command"]

    def options(command):
        return {"--" + name["name"] for argument in command.get("arguments", [])
                for name in argument.get("names", []) if name["kind"] == "long"}

    def walk(command):
        subcommands = {each["commandName"]: walk(each) for each in command.get("subcommands", [])}
        # Those of the subcommand that may be left out: `agent --desktop`.
        default, _ = subcommands.get("show", (set(), {}))
        return options(command) | default, subcommands

    own, subcommands = walk(description("locationctl"))
    fleet, of_fleet = walk(description("locationd-share", "fleet"))
    _, of_recorder = walk(description("locationd-fleet-recorder"))
    return own, subcommands | {
        "map": walk(description("locationctl-map")), "share": walk(description("locationd-share")),
        "fleet": (fleet, of_fleet | of_recorder)}


class CommandTests(unittest.TestCase):
    def test_a_test_runs_the_commands_of_each_section(self):
        for page, tests in TESTS.items():
            for heading in sections(page):
                lines = [line for line in commands(page, heading)
                         if line not in ELSEWHERE and not line.startswith("make ")]
                if not lines:
                    continue
                with self.subTest(f"{page}: {heading}"):
                    test = tests if isinstance(tests, str) else tests[heading]
                    self.assertIn(f'"{heading}"', (REPOSITORY / test).read_text(), f"{test} does not run {lines}")

    def test_the_first_screen_has_the_two_commands_of_a_clone(self):
        first = (REPOSITORY / README).read_text().split("\n## ")[0].splitlines()
        self.assertLess(len(first), 30)
        for line in ["    make run", "    make test"]:
            self.assertIn(line, first)

    def test_commands_that_are_run_elsewhere_are_in_the_pages(self):
        lines = {line for page in TESTS for heading in sections(page) for line in commands(page, heading)}
        for line, test in ELSEWHERE.items():
            self.assertIn(line, lines)
            self.assertTrue((REPOSITORY / test).exists(), test)

    def test_files_of_the_pages_go_into_directories_that_the_package_has(self):
        rules = (REPOSITORY / "Config/packaging/install.mk").read_text()
        directories = {path.rpartition("/")[0] for page in TESTS for heading in sections(page)
                       for path in files(page, heading) if path.startswith("/etc/locationd/")}
        self.assertTrue(directories)
        for directory in directories:
            self.assertIn(f"'$(DESTDIR){directory}'", rules)

    def test_man_k_locationd_finds_all_manual_pages(self):
        pages = sorted(REPOSITORY.glob("Config/packaging/man/*.[1-8]"))
        self.assertTrue(pages)
        for page in pages:
            lines = [line for line in page.read_text().splitlines() if line.startswith((".Nm ", ".Nd "))]
            self.assertIn("locationd", " ".join(lines[:3]).split(".Sh")[0], page.name)

    def test_make_has_the_targets(self):
        goals = set(re.findall(r"(?m)^([a-z][a-z-]*):", "".join(
            file.read_text() for file in [REPOSITORY / "Makefile", *REPOSITORY.glob("Config/packaging/*.mk"),
                                          *REPOSITORY.glob("Tests/**/*.mk")])))
        for page in PAGES:
            for line in re.findall(r"`(?:sudo )?make ([^`]*)`|^    make ([^#\n]*)", page.read_text(), re.M):
                for word in "".join(line).split():
                    if re.fullmatch("[a-z][a-z-]*", word):
                        self.assertIn(word, goals, page.name)

    def test_locationctl_has_the_commands_and_options(self):
        mentioned = 0
        for page in PAGES:
            text = page.read_text()
            for line in re.findall(r"`(?:sudo )?locationctl ([^`]*)`|^ *(?:sudo )?locationctl (.*)$", text, re.M):
                words = re.sub(r'"[^"]*"|\s# .*|\s[|>&].*', "", "".join(line)).split()
                options, subcommands = described_once()
                where, path = options, []
                for word in words:
                    if word in subcommands and not path[:1] == ["-"]:
                        where, subcommands = subcommands[word]
                        path.append(word)
                    elif word.startswith("--"):
                        self.assertIn(word, where | options, f"{page.name}: locationctl {' '.join(words)}")
                if words and re.fullmatch("[a-z]+", words[0]) and words[0] not in OF_THE_MAP:
                    self.assertTrue(path, f"{page.name}: locationctl {' '.join(words)}")
                mentioned += 1
        self.assertGreater(mentioned, 40)


# Commands that locationctl hands to the program of another package.
OF_THE_MAP = {"map"}
_description = []


def described_once():
    if not _description:
        _description.append(described())
    return _description[0]


class LinkTests(unittest.TestCase):
    def test_relative_links_lead_to_a_file(self):
        for page in PAGES:
            for target in re.findall(r"\]\((?!https?:|<|#)([^)#]+)", page.read_text()):
                self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_links_of_the_catalogue_lead_to_an_article(self):
        for page in CATALOGUE.glob("*.md"):
            for name in re.findall(r"<doc:(\w+)>", page.read_text()):
                self.assertTrue((CATALOGUE / f"{name}.md").exists(), f"{page.name}: {name}")


class InstalledPagesTests(unittest.TestCase):
    def test_the_installed_documents_lead_to_each_other(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["make", "-s", "install-documents", f"DESTDIR={root}", "PREFIX=/usr"], cwd=REPOSITORY, check=True)
            directory = pathlib.Path(root, "usr/share/doc/locationd")
            self.assertTrue({"README.md", "Recipes.md", "ThreatModel.md"} <= {page.name for page in directory.iterdir()})
            for page in directory.iterdir():
                text = page.read_text()
                self.assertNotIn("<doc:", text, page.name)
                self.assertNotRegex(text, r"\.github|LocationDaemon\.docc|!\[", page.name)
                links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
                for target in links:
                    self.assertTrue((directory / target).exists(), f"{page.name}: {target}")
                if page.name == "README.md":
                    self.assertIn("Recipes.md", links)


class ProgramTests(unittest.TestCase):
    def test_the_programs_of_the_pages_are_those_that_the_tests_run(self):
        where = (REPOSITORY / "Tests/OtherLanguages/where.py").read_text()
        self.assertIn(f"```python\n{where}```", (REPOSITORY / README).read_text())


if __name__ == "__main__":
    unittest.main()
