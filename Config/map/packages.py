"""Fetches the packages that hold the map's data, and takes files out of them whose content is known."""

import hashlib
import os
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIST = os.path.join(HERE, "packages.txt")


class Unavailable(Exception):
    """A package or a file in it that cannot be had, in a sentence that says what to do."""


class Packages:
    """A directory of downloads. What is there already is not asked for again."""

    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, exist_ok=True)

    def fetch(self):
        """Downloads the wheels of packages.txt that are missing or damaged; pip checks each against its hash."""
        wanted = open(LIST).read()
        names = re.findall(r"^([a-z-]+)==(\S+)", wanted, re.M)
        if all(self._sound(name, version, wanted) for name, version in names):
            return
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                   "--require-hashes", "--requirement", LIST, "--dest", self.directory]
        if subprocess.run(command).returncode != 0:
            raise Unavailable(
                f"The packages of {LIST} cannot be fetched. Check the network, or put the wheels into {self.directory}.")

    def _sound(self, name, version, wanted):
        path = self._wheel(name, version)
        return path is not None and _sha256(open(path, "rb").read()) in wanted

    def _wheel(self, name, version):
        start = f"{name.replace('-', '_')}-{version}-"
        found = [entry for entry in os.listdir(self.directory) if entry.startswith(start) and entry.endswith(".whl")]
        return os.path.join(self.directory, found[0]) if found else None

    def wheel(self, name):
        version = re.search(rf"^{name}==(\S+)", open(LIST).read(), re.M).group(1)
        path = self._wheel(name, version)
        if path is None:
            raise Unavailable(f"{name} {version} is not in {self.directory}: remove that directory and try again.")
        return zipfile.ZipFile(path)

    def member(self, name, path, sha256):
        """The content of a file in a wheel, which has to be what it was when this was written."""
        return checked(self.wheel(name).read(path), sha256, f"{path} of the package {name}")

    def directory_of(self, name):
        """The directory that a wheel is unpacked in."""
        wheel = self.wheel(name)
        directory = os.path.join(self.directory, "-".join(os.path.basename(wheel.filename).split("-")[:2]))
        if not os.path.exists(directory):
            # Not half of it, if this is stopped.
            unpacked = directory + ".new"
            wheel.extractall(unpacked)
            os.rename(unpacked, directory)
        return directory

    def program(self, name, path):
        """A program out of a wheel, with the libraries that lie beside it, unpacked."""
        target = os.path.join(self.directory_of(name), path)
        os.chmod(target, 0o755)
        return target

    def debian(self, name, path, sha256):
        """The path of a file in a Debian package, which is fetched but not installed."""
        target = os.path.join(self.unpacked(name), path)
        checked(open(target, "rb").read(), sha256, target)
        return target

    def unpacked(self, name):
        """The directory that a Debian package is unpacked in."""
        directory = os.path.join(self.directory, name)
        if not os.path.exists(directory):
            try:
                subprocess.run(["apt-get", "download", "-qq", "-o", "APT::Sandbox::User=root", name],
                               cwd=self.directory, check=True)
                archive = [entry for entry in os.listdir(self.directory)
                           if entry.startswith(name + "_") and entry.endswith(".deb")][-1]
                subprocess.run(["dpkg-deb", "-x", archive, name], cwd=self.directory, check=True)
                os.remove(os.path.join(self.directory, archive))
            except (OSError, subprocess.CalledProcessError, IndexError) as problem:
                raise Unavailable(f"The Debian package {name} cannot be fetched ({problem}). Run `apt-get update`, or "
                                  f"unpack the package into {directory}.") from problem
        return directory


def checked(content, sha256, what):
    """The content, if it is what it was when this was written."""
    if _sha256(content) != sha256:
        raise Unavailable(f"{what} has changed: its SHA-256 is {_sha256(content)}, not {sha256}. "
                          f"Look at what is new in it, then correct the hash in {os.path.join(HERE, 'build')}.")
    return content


def _sha256(content):
    return hashlib.sha256(content).hexdigest()
