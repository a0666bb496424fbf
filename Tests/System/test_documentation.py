"""The manual pages and the catalog agree with the programs. Needs no box."""
import json
import re
import subprocess
import unittest

from boxtest import REPOSITORY
from package import package

ROOT = REPOSITORY / ".build/deb/locationd/debian/locationd"


def manual(name):
    """The text of a manual page, without its markup."""
    page = REPOSITORY / "Config/packaging/man" / name
    return subprocess.run(["man", "--local-file", page], env={"PATH": "/usr/bin:/bin", "MANWIDTH": "1000"},
                          capture_output=True, text=True, check=True).stdout.replace("‐", "-").replace("−", "-")


def described(program):
    """The commands of a program and their options, from its own description."""
    output = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout

    def walk(command):
        options = {"--" + name["name"] for argument in command.get("arguments", []) if argument["shouldDisplay"]
                   for name in argument.get("names", []) if name["kind"] == "long"}
        yield command["commandName"], options
        for subcommand in command.get("subcommands", []):
            if subcommand["commandName"] != "help":
                yield from walk(subcommand)

    return list(walk(json.loads(output)["command"]))


# Options in locationctl.1 of `locationctl map`, which is a program of another package.
OF_THE_MAP = ["--open", "--port", "--until-unused"]
# Those of `locationctl share`, another such program.
OF_SHARING = ["--url-file", "--user-name", "--device", "--ca", "--pin", "--plain-http", "--certificate", "--certificate-key",
              "--home-assistant", "--listen", "--to", "--public", "--for", "--until", "--indefinitely", "--no-service",
              "--force", "--accuracy", "--until-arrival", "--maximum-error", "--maximum-interval", "--keep-unsent", "--system"]
# Those of `locationctl fleet` and of maps of a fleet.
OF_A_FLEET = ["--fleet", "--broker", "--password-file", "--database", "--keep", "--from"]
# Options of systemctl, systemd-run and timeout in its examples.
OF_OTHERS = ["--unit", "--pty", "--collect", "--wait", "--pipe", "--foreground"]


class DocumentationTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        package()

    def check(self, program, page):
        text = manual(page)
        for command, options in described(ROOT / program):
            for word in [command, *options]:
                self.assertRegex(text, rf"(?<![-\w]){re.escape(word)}(?![-\w])", f"{page} does not mention {word}")
        for option in set(re.findall(r"--[a-z][-a-z]+", text)) - {"--catalog", "--now", *OF_OTHERS, *OF_THE_MAP, *OF_SHARING, *OF_A_FLEET}:
            self.assertIn(option, set().union(*(options for _, options in described(ROOT / program))), page)

    def test_options_of_locationd(self):
        self.check("usr/sbin/locationd", "locationd.8")

    def test_commands_and_options_of_locationctl(self):
        self.check("usr/bin/locationctl", "locationctl.1")

    def test_identifiers_of_doctor(self):
        text = manual("locationctl.1")
        identifiers = re.findall(r'= "(\w+\.\w+)"', (REPOSITORY / "Sources/Programs/LocationDiagnosis/Topic.swift").read_text())
        self.assertTrue(identifiers)
        for identifier in identifiers:
            self.assertIn(identifier, text)

    def test_exit_codes(self):
        for program, page in [("usr/sbin/locationd", "locationd.8"), ("usr/bin/locationctl", "locationctl.1")]:
            help_text = subprocess.run([ROOT / program, "--help"], capture_output=True, text=True).stdout
            said = re.split(r"\n\n", help_text[help_text.index("Exit status:"):])[0]
            codes = set(re.findall(r"\b\d+\b", manual(page).split("EXIT STATUS")[1].split("With 64")[0]
                                   .split("EXAMPLES")[0].split("JOURNAL")[0]))
            self.assertEqual(set(re.findall(r"\b\d+\b", said)), codes, page)

    def test_keys(self):
        text = manual("locationd.plist.5")
        for source in ["DaemonConfiguration+Reading.swift", "ClientDeclaration+Reading.swift"]:
            code = (REPOSITORY / "Sources/Gate/LocationConfiguration" / source).read_text()
            keys = re.findall(r'reader\.(?:string|strings|integer|boolean|choice|array|dictionary|stringsByKey)\(\s*"(\w+)"', code)
            self.assertTrue(keys)
            for key in keys:
                self.assertIn(key, text)

    def test_catalog(self):
        code = (REPOSITORY / "Sources/Gate/LocationCore/JournalMessage.swift").read_text()
        catalog = (REPOSITORY / "systemd/locationd.catalog").read_text()
        self.assertEqual(re.findall(r'"([0-9a-f]{32})"', code), re.findall(r"^-- ([0-9a-f]{32})$", catalog, re.M))
