"""The public interface of the libraries: no change of it slips in."""
import difflib
import subprocess
import unittest

from pages import REPOSITORY

SYMBOLS = REPOSITORY / ".build/docs"
KEPT = REPOSITORY / "Tests/Documentation/public-api.txt"


class PublicInterfaceTests(unittest.TestCase):
    @unittest.skipUnless((SYMBOLS / "LocationMap.symbols").exists(), "no symbols: make docs")
    def test_it_is_the_one_that_is_kept(self):
        now = subprocess.run([REPOSITORY / "Config/public-api", SYMBOLS], check=True, capture_output=True, text=True).stdout
        changes = [line for line in difflib.unified_diff(KEPT.read_text().splitlines(), now.splitlines(), "kept", "built", n=0, lineterm="")]
        self.assertEqual(changes, [], "The public interface has changed. If that is meant, run: make docs public-api\n" + "\n".join(changes))


if __name__ == "__main__":
    unittest.main()
