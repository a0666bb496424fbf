"""The groups of targets: each is described, and imports only from those that it may use."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from pages import REPOSITORY


class GroupTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        manifest = (REPOSITORY / "Package.swift").read_text()
        #: The groups in the order of the manifest, each with those that it may use.
        cls.groups = {name: re.findall(r'"(\w+)"', uses)
                      for name, uses in re.findall(r'= group\(\s*"(\w+)", uses: \[([^\]]*)\]', manifest)}
        # SwiftPM leaves a directory for temporary files behind.
        with tempfile.TemporaryDirectory() as directory:
            package = json.loads(subprocess.run(
                ["swift", "package", "--package-path", REPOSITORY, "dump-package"], check=True, capture_output=True,
                env=os.environ | {"TMPDIR": directory}).stdout)
        cls.targets = {target["name"]: target for target in package["targets"]}

    def group(self, target):
        """The group of a target in Sources, or nothing."""
        parts = (self.targets[target].get("path") or "").split("/")
        return parts[1] if parts[0] == "Sources" else None

    def test_no_module_imports_upwards(self):
        names = list(self.groups)
        for name, uses in self.groups.items():
            self.assertLessEqual(set(uses), set(names[:names.index(name)]), f"{name} may use groups before it only")
        upwards = [(name, used) for name, target in self.targets.items() if self.group(name)
                   for dependency in target["dependencies"] for used in dependency.get("byName", [])[:1]
                   if used in self.targets and self.group(used) not in [self.group(name), *self.groups[self.group(name)]]]
        self.assertEqual(upwards, [])

    def test_each_group_is_described(self):
        self.assertEqual({path.name for path in (REPOSITORY / "Sources").iterdir()}, set(self.groups))
        for name in self.groups:
            lines = (REPOSITORY / "Sources" / name / "README.md").read_text().splitlines()
            self.assertEqual(lines[0], f"# {name}")
            modules = {path.name for path in (REPOSITORY / "Sources" / name).iterdir() if path.is_dir()}
            missing = {module for module in modules if f"`{module}`" not in "\n".join(lines)}
            self.assertEqual(missing, set(), f"Sources/{name}/README.md does not say what these are for")


if __name__ == "__main__":
    unittest.main()
