"""Names of countries and of one city of each time zone in many languages: those of the Common Locale Data Repository, as the
package Babel has them. GeoNames has few names of large cities in the scripts of their neighbours, and none of countries."""

import sys

# The official languages of countries of some size: the names in all 300 languages would take a megabyte.
LANGUAGES = """
    af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky
    lo lt lv mk ml mn mr ms my nb ne nl pa pl ps pt pt_PT ro ru si sk sl sq sr sr_Latn sv sw ta te tg th tk tr uk ur uz vi zh
    zh_Hant
""".split()


class Translations:
    def __init__(self, directory):
        """`directory` is where the package is unpacked."""
        sys.path.insert(0, directory)
        from babel import Locale
        from babel.core import get_global

        locales = [Locale.parse(language) for language in LANGUAGES]
        # Countries by their code, and a city by its time zone.
        self.countries = {}
        self.cities = {}
        for locale in locales:
            for code, name in locale.territories.items():
                self.countries.setdefault(code, set()).add(name)
            for zone, details in locale.time_zones.items():
                if "city" in details:
                    self.cities.setdefault(zone, set()).add(details["city"])
        english = Locale.parse("en").time_zones
        self._zones = {zone: english.get(zone, {}).get("city", zone.split("/")[-1].replace("_", " ")) for zone in self.cities}
        # Names that zones had before, of which some data has one and some the other: Asia/Calcutta.
        self._aliases = get_global("zone_aliases")

    def of_cities(self, cities):
        """The names of cities by the number of GeoNames: those of the largest city that a time zone is named after."""
        found = {}
        for city in sorted(cities.values(), key=lambda city: city["population"]):
            zone = self._aliases.get(city["timezone"], city["timezone"])
            name = self._zones.get(zone)
            if name is not None and (city["name"] == name or name in city["alternatenames"]):
                found[zone] = city["geonameid"]
        return {number: self.cities[zone] for zone, number in found.items()}
