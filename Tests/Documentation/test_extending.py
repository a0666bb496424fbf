"""The lists of files in the article Extending are complete: each names every file that has its example."""
import re
import subprocess
import unittest

from pages import REPOSITORY, sections

PAGE = "Sources/Programs/LocationDaemon/LocationDaemon.docc/Extending.md"
# What of an example stands in a file that a new one of its kind has to change, and where such files are.
EXAMPLES = {
    "A condition of a rule": (r"\b(onBattery|OnBattery|isOnBattery)\b", ["Sources", "Config"]),
    "A kind of source": (r"^ +modem,|case modem|\.modem\b|\busesModem|\bModemSource|\bModemCheck\b|>Modem<|Cm Modem|\"modem\"",
                         ["Sources", "Config"]),
    "A front end": (r"\bGPSDFrontEnd\b", ["Package.swift", "Sources", "Config"]),
    "A destination of sharing": (r"\bdawarich\b", ["Sources", "Config"]),
    "A subcommand of locationctl": (r"\bExplain\.self|struct Explain\b|: \"explain\"|Cm explain", ["Sources", "Config"]),
    "A translation": (r"\"pt\"|Spanish, Portuguese, Japanese",
                      ["Sources/Platform", "Sources/Map/LocationMap", "Sources/Programs", "Config/packaging/man",
                       "Tests/Documentation", "Tests/Map/Browser"]),
}
# Say what there is, and do not have to name each.
DESCRIPTIONS = {"Architecture.md", "Concepts.md", "GPSDPrograms.md", "Sharing.md", "ThreatModel.md", "Extending.md", "changelog",
                "test_extending.py"}


def named(section):
    """The paths that a section names."""
    return set(re.findall(r"`((?:Sources|Tests|Config|systemd)/[^`]*|Package\.swift)`", sections(PAGE)[section]))


class ExtendingTests(unittest.TestCase):
    def test_each_list_names_all_files_with_its_example(self):
        for section, (example, places) in EXAMPLES.items():
            found = subprocess.run(["git", "grep", "-lP", example, "--", *places], cwd=REPOSITORY, check=True,
                                   capture_output=True, text=True).stdout.split()
            missing = {file for file in found if file.rpartition("/")[2] not in DESCRIPTIONS} - named(section)
            self.assertEqual(missing, set(), section)

    def test_each_section_has_an_example(self):
        self.assertEqual(set(sections(PAGE)) - {"Overview"}, set(EXAMPLES))

    def test_the_files_exist(self):
        for section in sections(PAGE):
            for path in named(section):
                self.assertTrue((REPOSITORY / path).exists(), path)


if __name__ == "__main__":
    unittest.main()
