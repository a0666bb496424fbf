"""Hands the world's places to the writer of indexes: countries, states and settlements, as lines of GeoJSON with the tags
that extracts of OpenStreetMap have."""

import json
import re
import subprocess

import geometry
import regions

# Transcriptions that a program has made ("he er xin ji"): nobody types them.
MACHINE_MADE = re.compile(r"[a-z][a-z '`-]*$")
# Villages with fewer people are known by their own name only: the names of all would take megabytes.
NAMED_BY_OTHERS = 1800


def features(cities, countries, shapes, states, translations, waters):
    """`shapes` are (row, outline) of countries, `states` of states and provinces, `waters` what the map labels on water."""
    outlines = {row["ISO_A2_EH"]: outline for row, outline in shapes}
    # Natural Earth has no codes for some.
    by_name = {row["ADMIN"]: outline for row, outline in shapes}
    for code, country in countries.items():
        outline = outlines.get(code) or by_name.get(country["name"]) or _capital(cities, code, country)
        if outline is not None:
            yield _feature(country["geonameid"], _box(outline), name=country["name"], place="country",
                           population=country["population"], country_code=code,
                           names=[country["iso3"], *sorted(translations.countries.get(code, ()))], timezone=_zone(cities, code))
    found = regions.Regions(cities, states)
    towns = {city["geonameid"]: found.of(city) for city in cities.values()}
    yield from _states(cities, states, towns)
    translated = translations.of_cities(cities)
    for city in cities.values():
        alternatives = [name for name in city["alternatenames"]
                        if city["population"] >= NAMED_BY_OTHERS and not MACHINE_MADE.match(name)]
        alternatives += sorted(translated.get(city["geonameid"], set()).difference(alternatives))
        yield _feature(city["geonameid"], {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]},
                       name=city["name"], place="populated", population=city["population"],
                       country_code=city["countrycode"], timezone=city["timezone"],
                       region=towns[city["geonameid"]], names=alternatives)
    for outline, properties in waters:
        yield _feature(None, _box(outline), **properties)


def _states(cities, states, found):
    """The states and provinces: those of Natural Earth, and those in which towns were `found` and that it does not have."""
    parts = {}
    for row, outline in states:
        if row["iso_a2"] and (name := regions.name_of(row)):
            parts.setdefault((row["iso_a2"], name), []).append((row, outline))
    settlements = {(city["countrycode"], city["name"]) for city in cities.values()}
    for (country, name), rows in parts.items():
        outline = {"type": "MultiPolygon", "coordinates": [part for _, outline in rows for part in geometry.polygons(outline)]}
        others = {(country, row[key]) for row, _ in rows for key in ("name", "gn_name", "woe_name") if row[key]} - parts.keys()
        # Some parts are towns with the rights of a county, which are found by themselves.
        if len(rows) > 1:
            others -= settlements
        yield _feature(None, _box(outline), name=name, place="state", country_code=country,
                       names=sorted(text for _, text in others), timezone=_zone(cities, country))
    towns = {}
    for city in cities.values():
        key = (city["countrycode"], found[city["geonameid"]])
        if key[1] and key not in parts:
            towns.setdefault(key, []).append([city["longitude"], city["latitude"]])
    for (country, name), points in towns.items():
        yield _feature(None, _around(points), name=name, place="state", country_code=country, timezone=_zone(cities, country))


def _feature(number, geometry, **properties):
    feature = {"type": "Feature", "geometry": geometry,
               "properties": {key: value for key, value in properties.items() if value}}
    if number is not None:
        feature["id"] = f"g{number}"
    return feature


def _box(outline):
    """The largest part of a country or state, coarsely: its box is what a map shows."""
    if outline["type"] == "Point":
        return outline
    ring = max((polygon[0] for polygon in geometry.polygons(outline)), key=geometry.area)
    return {"type": "Polygon", "coordinates": [ring[::max(1, len(ring) // 200)]]}


def _around(points):
    """The box of a region of which only the towns are known."""
    west, east = min(point[0] for point in points), max(point[0] for point in points)
    south, north = min(point[1] for point in points), max(point[1] for point in points)
    if west == east or south == north:
        return {"type": "Point", "coordinates": [(west + east) / 2, (south + north) / 2]}
    return {"type": "Polygon", "coordinates": [[[west, south], [east, south], [east, north], [west, north], [west, south]]]}


def _capital(cities, code, country):
    for city in cities.values():
        if city["countrycode"] == code and city["name"] == country["capital"]:
            return {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]}
    return None


ZONES = {}


def _zone(cities, code):
    """The time zone of a country's largest city."""
    if not ZONES:
        for city in sorted(cities.values(), key=lambda city: city["population"]):
            ZONES[city["countrycode"]] = city["timezone"]
    return ZONES.get(code, "UTC")


def build(lines, program, target):
    """Pipes the features into the program that writes the index."""
    writer = subprocess.Popen([program, target, "1"], stdin=subprocess.PIPE, text=True, encoding="utf-8")
    for feature in lines:
        json.dump(feature, writer.stdin, ensure_ascii=False)
        writer.stdin.write("\n")
    writer.stdin.close()
    if writer.wait() != 0:
        raise OSError("the index of the world's places was not written")
