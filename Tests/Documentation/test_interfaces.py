"""The manual page of the interfaces, org.locationd(7)."""
import re
import subprocess
import unittest

from pages import REPOSITORY

FILES = sorted((REPOSITORY / "Sources/Client/LocationInterface/Interfaces").glob("*.varlink"))


class InterfacePageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.source = subprocess.run([REPOSITORY / "Config/packaging/man/interfaces", *FILES], check=True,
                                    capture_output=True, text=True).stdout

    def test_it_is_valid(self):
        result = subprocess.run(["groff", "-mdoc", "-Tutf8", "-ww", "-z"], input=self.source, capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_every_declaration_and_member_is_there(self):
        for file in FILES:
            text = re.sub(r"#.*", "", file.read_text())
            self.assertIn(f"\n.Sh {file.stem}\n", self.source)
            part = self.source.split(f"\n.Sh {file.stem}\n")[1].split("\n.Sh ")[0]
            for kind, name in re.findall(r"(?m)^(type|method|error) (\w+)", text):
                self.assertIn(f"\n.Ss {kind} {name}\n", part)
            members = re.findall(r"(\w+) *:", text)
            self.assertEqual(len(re.findall(r"(?m)^\.It Va \w+ Pq", part)), len(members))
            for word in re.findall(r"(?m)^ +(\w+)(?:,|$)", text):
                self.assertRegex(part, rf"\n\.It Va {word}\n", f"{file.stem}: {word}")

    def test_every_comment_is_there(self):
        words = " ".join(self.source.replace("\\-", "-").replace("\\&", "").split())
        for file in FILES:
            for comment in re.findall(r"(?m)^ *# ?(.+)$", file.read_text()):
                self.assertIn(" ".join(comment.split()).strip("'."), words)


if __name__ == "__main__":
    unittest.main()
