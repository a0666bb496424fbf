"""Makes the world's vector tiles: land, lakes, rivers, borders, names, and every place of 800 people."""

import json
import math
import os
import re
import subprocess

import archive
import geometry
import shores

MAXIMUM_ZOOM = 7
# Countries whose first-level divisions are single towns: as borders they are noise.
TOWNS_AS_STATES = {"SVN", "MKD", "LVA", "MLT"}
# The languages of Natural Earth's names that the page can write.
LANGUAGES = ["de", "el", "es", "fr", "hu", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "sv", "tr", "uk", "vi", "zh"]


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
        made = os.path.join(self.directory, "world.mbtiles")
        subprocess.run([tippecanoe, "-q", "-f", "-o", made, f"-z{MAXIMUM_ZOOM}", "-r1", "--no-tile-size-limit",
                        "--no-feature-limit", "--no-tiny-polygon-reduction", "--full-detail=13", "--low-detail=12",
                        "--simplification=8", "--simplification-at-maximum-zoom=1", "-n", "world",
                        "-A", "Natural Earth · GSHHG · GeoNames", *self.layers], check=True)
        archive.pack(made, target)


def oceans():
    """A ground for the whole world, which tells water from what has not been drawn yet."""
    yield {}, {"type": "Polygon", "coordinates": [[[-180, -85.1], [180, -85.1], [180, 85.1], [-180, 85.1], [-180, -85.1]]]}, 0


def lands(path):
    """Continents and islands; those in lakes are a layer of their own, because it lies above the lakes."""
    for size, ring in shores.areas(path, shores.LAND):
        yield {}, {"type": "Polygon", "coordinates": [ring]}, _area_zoom(size)


def islands(path):
    for size, ring in shores.areas(path, shores.ISLAND):
        yield {}, {"type": "Polygon", "coordinates": [ring]}, _area_zoom(size)


def lakes(path, named):
    """GSHHG's lakes, and those of Natural Earth that it lacks, which are mostly reservoirs."""
    found = list(shores.areas(path, shores.LAKE))
    for size, ring in found:
        yield {}, {"type": "Polygon", "coordinates": [ring]}, _area_zoom(size)
    boxes = [(min(x for x, _ in ring), max(x for x, _ in ring), min(y for _, y in ring), max(y for _, y in ring), ring)
             for _, ring in found]
    for row, shape in named:
        x, y = geometry.label_point(_largest(shape))
        if not any(west <= x <= east and south <= y <= north
                   and geometry.contains({"type": "Polygon", "coordinates": [ring]}, x, y)
                   for west, east, south, north, ring in boxes):
            yield {}, shape, max(0, math.ceil(float(row["min_zoom"])))


def _area_zoom(square_kilometres):
    """The first zoom level at which an area is a pixel wide."""
    return max(0, math.ceil(math.log2(78 / math.sqrt(max(square_kilometres, 1e-6)))))


def rivers(path):
    """The great rivers first; wide ones have banks besides, and are of level 0."""
    for level, line in shores.rivers(path, [0, 1, 2]):
        yield {"level": level}, {"type": "LineString", "coordinates": line}, (4, 4, 6)[level]


# Natural Earth counts zoom levels of tiles with 256 pixels, and leaves out what may collide, which the page decides.
EARLIER = 1.5
# Parts of Cyprus that are no country, whose names would hide its own.
BASES = {"Akrotiri Sovereign Base Area", "Dhekelia Sovereign Base Area"}


def country_labels(rows):
    for row, shape in rows:
        if float(row["MIN_LABEL"]) >= 20 or row["TYPE"] in ("Lease", "Indeterminate") or row["ADMIN"] in BASES:
            continue
        rank = round(float(row["MIN_LABEL"]) - EARLIER, 1)
        # The Vatican does not hide Rome.
        if float(row["POP_EST"]) < 1000:
            rank = max(rank, 7)
        # A dependency gives way to every country.
        importance = int(row["LABELRANK"]) + (10 if row["TYPE"] == "Dependency" else 0)
        yield ({"name": row["ADMIN"], "rank": rank, "importance": importance,
                **_names(row, row["ADMIN"], "NAME_"), "name:en": row["ADMIN"]},
               {"type": "Point", "coordinates": [float(row["LABEL_X"]), float(row["LABEL_Y"])]}, max(0, int(rank)))


def lake_labels(rows):
    for row, shape in rows:
        name = row["label"] or row["name"]
        if name:
            rank = round(float(row["min_label"]) - EARLIER, 1)
            yield ({"name": name, "rank": rank, "importance": int(row["scalerank"]),
                    **_names(row, name, "name_"), "name:en": name},
                   {"type": "Point", "coordinates": geometry.label_point(_largest(shape))}, max(0, int(rank)))


# The rank of Natural Earth up to which a lake is a place of the gazetteer.
KNOWN_LAKES = 5


def waters(lakes, seas, names):
    """The lakes and seas that the map labels, as places to search for: (outline, tags). A sea has no outline here, and the box that
    its label is shown for instead."""
    for row, shape in lakes:
        name, rank = row["label"] or row["name"], int(row["scalerank"])
        if name and rank <= KNOWN_LAKES:
            yield shape, {"name": name, "natural": "water", "importance": 620 - 40 * rank, **_names(row, name, "name_")}
    for name, longitude, latitude, zoom, *_ in seas:
        half = 90 / 2 ** zoom
        west, east = max(-180, longitude - half), min(180, longitude + half)
        south, north = max(-80, latitude - half / 2), min(80, latitude + half / 2)
        yield ({"type": "Polygon",
                "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]},
               {"name": name, "place": "sea", "importance": 640 - 20 * zoom,
                **{f"name:{language}": own for language, own in names[name].items()}})


def _names(row, name, prefix):
    """The names in other languages; `prefix` is that of the columns, whose case the languages have."""
    columns = {language: prefix + (language.upper() if prefix.isupper() else language) for language in LANGUAGES}
    return {f"name:{language}": row[column] for language, column in columns.items() if row[column] not in ("", name)}


def _largest(shape):
    return max((polygon[0] for polygon in geometry.polygons(shape)), key=geometry.area)


def borders(rows):
    for row, shape in rows:
        isDisputed = row["FEATURECLA"] != "International boundary (verify)"
        yield ({"disputed": 1} if isDisputed else {}), shape, 0


def states(path):
    shapes = [(row["adm0_a3"], shape)
              for row, shape in geometry.geopackage(path, "states_provinces", ["adm0_a3"])
              if row["adm0_a3"] not in TOWNS_AS_STATES]
    for line in geometry.common_borders(shapes):
        yield {}, {"type": "LineString", "coordinates": line}, 4


def seas(rows, names):
    """An ocean has its name once, until there is room for those of its parts. `names` has those in the languages of the page."""
    for name, longitude, latitude, zoom, *until in rows:
        yield ({"name": name, "name:en": name, "rank": zoom, **({"until": until[0]} if until else {}),
                **{f"name:{language}": own for language, own in names[name].items()}},
               {"type": "Point", "coordinates": [longitude, latitude]}, zoom)


def places(cities, countries, names):
    """`rank` is the zoom level from which a place is named, and so its importance; beyond the tiles' last level the page
    goes by it, too. `names` has the names of large cities in other languages, under "Munich, DE": GeoNames does not tell the
    languages of its own."""
    names = dict(names)
    capitals = {code: country["capital"] for code, country in countries.items()}
    larger = Larger()
    for city in sorted(cities.values(), key=lambda city: -city["population"]):
        is_capital = capitals.get(city["countrycode"]) == city["name"]
        if city["population"] < LEAST and not is_capital:
            continue
        rank = _rank(city["population"], is_capital)
        if not is_capital:
            rank = max(rank, larger.room(city))
        larger.add(city)
        # Of towns with one name the largest comes first, and is meant.
        own = names.pop(f"{city['name']}, {city['countrycode']}", {})
        if city["countrycode"] == "JP" and "ja" not in own and (japanese := _japanese(city["alternatenames"])):
            own = {**own, "ja": japanese}
        yield ({"name": city["name"], "rank": rank, **({"capital": 1} if is_capital else {}),
                **{f"name:{language}": name for language, name in own.items()}},
               {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]}, int(rank))


def _japanese(names):
    """The name in Japanese characters, without the word for a town at its end; `None` if there is none. Those of a Chinese name that
    Japanese lacks are not in its character set."""
    written = [name for name in names if re.fullmatch(r"[\u3005\u3007\u3041-\u30ff\u4e00-\u9fff]+", name)
               and name.encode("cp932", "ignore").decode("cp932") == name]
    plain = [name[:-1] for name in written if name[-1] in "市町村区" and name[:-1] in written]
    towns = [name[:-1] for name in written if name[-1] in "市町村" and len(name) > 2 and re.search(r"[\u4e00-\u9fff]", name[:-1])]
    signs = [name for name in written if re.search(r"[\u4e00-\u9fff]", name)]
    return next(iter(plain + towns + signs + written), None)


# The number of people below which a place is found by search only: a quarter of all places, which would take megabytes.
LEAST = 800
# The numbers of people for which a place is named from a zoom level on.
RANKS = ((20_000_000, 2), (5_000_000, 2.5), (1_500_000, 3.5), (500_000, 4.5), (150_000, 5.5), (50_000, 6.5), (15_000, 7.5), (3_000, 8.5), (LEAST, 9.5))


class Larger:
    """The places so far, which are larger: a part of a town, such as Pest, is not named in its place."""

    # In degrees. Places farther apart have room for their names where either is named.
    CELL = 0.25
    # The pixels between two names, and the metres a pixel at the equator at zoom level 0.
    PIXELS = 50
    SCALE = 78_271.5

    def __init__(self):
        self.cells = {}

    def add(self, place):
        self.cells.setdefault(self._cell(place), []).append((place["longitude"], place["latitude"]))

    def room(self, place):
        """The zoom level from which there is room for the names of a place and of the nearest larger one."""
        column, row = self._cell(place)
        across = math.cos(math.radians(place["latitude"]))
        nearest = min((math.hypot((longitude - place["longitude"]) * across, latitude - place["latitude"])
                       for x in range(column - 1, column + 2) for y in range(row - 1, row + 2)
                       for longitude, latitude in self.cells.get((x, y), ())), default=1)
        metres = max(nearest * 111_320, 200)
        return round(math.log2(self.PIXELS * self.SCALE * across / metres), 1)

    def _cell(self, place):
        return math.floor(place["longitude"] / self.CELL), math.floor(place["latitude"] / self.CELL)


def _rank(population, is_capital):
    if is_capital:
        return next((rank for limit, rank in ((1_000_000, 2), (100_000, 3)) if population >= limit), 4)
    rank = RANKS[-1][1]
    for (more, first), (less, last) in zip(RANKS, RANKS[1:]):
        if population >= less:
            rank = first + (last - first) * math.log(more / min(population, more)) / math.log(more / less)
            break
    return round(rank, 1)
