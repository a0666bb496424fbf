"""What a page shows to type, for the tests that do it."""
import pathlib
import re

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
README = "README.md"
RECIPES = "Sources/Programs/LocationDaemon/LocationDaemon.docc/Recipes.md"
FLEET = "Sources/Programs/LocationDaemon/LocationDaemon.docc/Fleet.md"


def sections(page):
    """The headings of a page, each with its text."""
    parts = re.split(r"(?m)^##+ (.*)$", (REPOSITORY / page).read_text())
    return dict(zip(parts[1::2], parts[2::2]))


def blocks(page, heading):
    """The blocks of code in a section, each with its language; that of an indented block is `sh`."""
    found, language, lines = [], None, []
    for line in sections(page)[heading].splitlines():
        if line.startswith("```"):
            if language is None:
                language, lines = line[3:] or "sh", []
            else:
                found.append((language, lines))
                language = None
        elif language is not None:
            lines.append(line)
        elif line.startswith("    "):
            found.append(("sh", [line[4:]]))
    return found


def commands(page, heading):
    """The command lines of a section."""
    return [line for language, lines in blocks(page, heading) if language == "sh" for line in lines]


def files(page, heading):
    """The files that a section shows, by their paths: blocks whose first line is a comment with a path."""
    return {lines[0].removeprefix("# "): "\n".join(lines[1:]) + "\n"
            for _, lines in blocks(page, heading) if re.match(r"# [~/]", lines[0])}
