"""The folder of a release."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from pages import REPOSITORY


class ReleaseTests(unittest.TestCase):
    def test_packages_checksums_and_note_are_in_one_folder(self):
        version = re.search(r'serviceVersion = "(.*)"',
                            (REPOSITORY / "Sources/Client/LocationInterface/Release.swift").read_text())[1]
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        packages = [f"locationd_{version}_amd64.deb", f"locationd-network_{version}_amd64.deb",
                    f"locationd-share_{version}_amd64.deb",
                    f"locationd-fleet-recorder_{version}_amd64.deb", f"locationd-map_{version}_amd64.deb", f"python3-locationd_{version}_all.deb"]
        for name in packages:
            (directory / name).write_text(name)
        output = subprocess.run(
            [REPOSITORY / "Config/packaging/release", directory], env=os.environ | {"RELEASES": str(directory)},
            check=True, capture_output=True, text=True).stdout
        folder = pathlib.Path(output.strip())
        self.assertEqual(folder, directory / f"locationd-{version}")
        wheel = f"locationd-{version}-py3-none-any.whl"
        self.assertEqual({file.name for file in folder.iterdir()}, {*packages, wheel, "NOTE.md", "SHA256SUMS"})
        subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, check=True)
        note = (folder / "NOTE.md").read_text()
        self.assertIn(f"# locationd {version}\n", note)
        self.assertIn("First release.", note)
        self.assertNotRegex(note, "@[A-Z_]+@", "a placeholder of the changelog is left")
        self.check_wheel(folder / wheel, directory / "environment", version)

    def check_wheel(self, wheel, environment, version):
        """It installs into a virtual environment, with its types, and is the package of this release."""
        subprocess.run(["/usr/bin/python3", "-m", "venv", environment], check=True)
        python = environment / "bin/python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", wheel], check=True)
        program = ("import importlib.metadata, importlib.resources, locationd; print(locationd.Monitor.__name__, "
                   "importlib.metadata.version('locationd'), (importlib.resources.files(locationd) / 'py.typed').is_file())")
        output = subprocess.run([python, "-I", "-c", program], check=True, capture_output=True, text=True).stdout
        self.assertEqual(output, f"Monitor {version} True\n")


if __name__ == "__main__":
    unittest.main()
