"""Makes the world's vector tiles: countries, their borders and states, lakes, seas, and every place of 500 people."""

import json
import os
import subprocess

import geometry

MAXIMUM_ZOOM = 7
# Countries whose first-level divisions are single towns: as borders they are noise.
TOWNS_AS_STATES = {"SVN", "MKD", "LVA", "MLT"}


class World:
    """Layers as files of GeoJSON lines, which tippecanoe then makes into tiles."""

    def __init__(self, directory):
        self.directory = directory
        self.layers = []
        os.makedirs(directory, exist_ok=True)

    def add(self, layer, features):
        """`features` are (properties, geometry, first zoom)."""
        path = os.path.join(self.directory, layer + ".geojsonl")
        with open(path, "w") as file:
            for properties, shape, zoom in features:
                json.dump({"type": "Feature", "tippecanoe": {"minzoom": min(zoom, MAXIMUM_ZOOM)},
                           "properties": properties, "geometry": shape}, file, ensure_ascii=False)
                file.write("\n")
        self.layers += ["-L", f"{layer}:{path}"]

    def tiles(self, tippecanoe, target):
        # -r1: which place shows at what zoom is decided here, by population.
        subprocess.run([tippecanoe, "-q", "-f", "-o", target, f"-z{MAXIMUM_ZOOM}", "-r1", "--no-tile-size-limit",
                        "--no-feature-limit", "--detect-shared-borders", "--simplification=4",
                        "--simplification-at-maximum-zoom=1", "-n", "world",
                        "-A", "Natural Earth · GeoNames", *self.layers], check=True)


def countries(collection):
    for feature in collection["features"]:
        yield {"name": feature["properties"]["name"]}, feature["geometry"], 0


def country_labels(collection):
    for feature in collection["features"]:
        ring = max((polygon[0] for polygon in geometry.polygons(feature["geometry"])), key=geometry.area)
        area = geometry.area(ring)
        zoom = next((zoom for limit, zoom in ((300, 1), (60, 2), (15, 3), (3, 4), (0.4, 5)) if area > limit), 6)
        yield ({"name": feature["properties"]["name"], "area": round(area, 2)},
               {"type": "Point", "coordinates": geometry.label_point(ring)}, zoom)


def borders(collection):
    shapes = [("world", feature["geometry"]) for feature in collection["features"]]
    for line in geometry.common_borders(shapes):
        yield {}, {"type": "LineString", "coordinates": line}, 0


def disputed(path):
    for _, shape in geometry.geopackage(path, "disputed_borders", ["name"]):
        yield {"disputed": 1}, shape, 2


def states(path):
    shapes = [(row["adm0_a3"], shape)
              for row, shape in geometry.geopackage(path, "states_provinces", ["adm0_a3"])
              if row["adm0_a3"] not in TOWNS_AS_STATES]
    for line in geometry.common_borders(shapes):
        yield {}, {"type": "LineString", "coordinates": line}, 4


def lakes(collection):
    for feature in collection["features"]:
        properties = feature["properties"]
        name = properties.get("name_en") or properties.get("name")
        yield ({"name": name} if name else {}), feature["geometry"], max(0, int(properties.get("min_zoom") or 0))


def seas(rows):
    for name, longitude, latitude, zoom in rows:
        yield {"name": name, "rank": zoom}, {"type": "Point", "coordinates": [longitude, latitude]}, zoom


def places(cities, countries):
    """`rank` is the first zoom at which a place is named; beyond the tiles' last zoom the page goes by it."""
    capitals = {code: country["capital"] for code, country in countries.items()}
    for city in sorted(cities.values(), key=lambda city: -city["population"]):
        is_capital = capitals.get(city["countrycode"]) == city["name"]
        rank = _rank(city["population"], is_capital)
        properties = {"name": city["name"], "rank": rank, "population": city["population"]}
        if is_capital:
            properties["capital"] = 1
        yield properties, {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]}, rank


def _rank(population, is_capital):
    if is_capital:
        return next((rank for limit, rank in ((1_000_000, 2), (100_000, 3)) if population >= limit), 4)
    limits = ((5_000_000, 2), (1_500_000, 3), (500_000, 4), (150_000, 5), (50_000, 6), (15_000, 7), (3_000, 8))
    return next((rank for limit, rank in limits if population >= limit), 9)
