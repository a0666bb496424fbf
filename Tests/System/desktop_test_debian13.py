"""Small programs that ask GeoClue, unmodified, as Debian 13 has them."""
import copy

from programs import SMALL_PROGRAMS, ProgramTestCase


def of_debian13(program):
    """The same program with the Python of Debian 13, which is part of what some are known by."""
    other = copy.copy(program)
    other.identifier = program.identifier.replace("python3.11", "python3.13")
    return other


PROGRAMS = [of_debian13(program) for program in SMALL_PROGRAMS]


class Debian13ProgramTests(ProgramTestCase):
    suite = "trixie+clients"

    def test_allowed_and_revoked(self):
        self.asked_allowed_revoked(PROGRAMS)

    def test_denied(self):
        self.asked_denied(PROGRAMS)

    def test_off_on_and_restarted(self):
        self.services_off_and_on(PROGRAMS)

    def test_answered_late(self):
        self.asked_answered_late(PROGRAMS)
