"""A PostgreSQL of the system's with a cluster in a directory, for tests and benchmarks in Python."""
import os
import pathlib
import shutil
import subprocess


class Cluster:
    """A cluster that only a socket in its directory reaches, and that trusts whoever does."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        versions = sorted(pathlib.Path("/usr/lib/postgresql").iterdir(), key=lambda path: int(path.name))
        self._programs = versions[-1] / "bin"
        # It refuses to run as root.
        self._user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--init-groups"] if os.geteuid() == 0 else []
        if self._user:
            shutil.chown(directory, "postgres")
        self.address = f"postgresql:///fleet?host={directory}&user=owner"
        subprocess.run(self._command("initdb", "-A", "trust", "-U", "owner", "-E", "UTF8", "--locale=C"), check=True,
                       stdout=subprocess.DEVNULL)

    def _command(self, name, *arguments):
        return [*self._user, str(self._programs / name), "-D", str(self.directory / "data"), *arguments]

    def server(self, *settings):
        """The command that starts the server with these settings."""
        options = [argument for setting in ("listen_addresses=", *settings) for argument in ("-c", setting)]
        return self._command("postgres", "-k", str(self.directory), *options)

    def create(self):
        """Makes the database `fleet`, in a server that runs."""
        self.ask("CREATE DATABASE fleet", "postgres")
        self.ask("CREATE EXTENSION postgis")

    def ask(self, statement, database="fleet"):
        """What statements yield, a line a row."""
        return subprocess.run(
            ["psql", "-h", self.directory, "-U", "owner", "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement],
            check=True, capture_output=True, text=True).stdout.strip()
