"""Hands the world's places to the writer of indexes: countries, states and settlements, as lines of GeoJSON with the tags
that extracts of OpenStreetMap have."""

import json
import re
import subprocess

import geometry

# Transcriptions that a program has made ("he er xin ji"): nobody types them.
MACHINE_MADE = re.compile(r"[a-z][a-z '`-]*$")
# Villages with fewer people are known by their own name only: the names of all would take megabytes.
NAMED_BY_OTHERS = 1200
# How many of a division's towns say which state it is.
WITNESSES = 7


def features(cities, countries, shapes, states):
    """`shapes` are (row, outline) of countries, `states` of states and provinces."""
    outlines = {row["ISO_A2_EH"]: outline for row, outline in shapes}
    # Natural Earth has no codes for some.
    by_name = {row["ADMIN"]: outline for row, outline in shapes}
    for code, country in countries.items():
        outline = outlines.get(code) or by_name.get(country["name"]) or _capital(cities, code, country)
        if outline is not None:
            yield _feature(country["geonameid"], _box(outline), name=country["name"], place="country",
                           population=country["population"], country_code=code,
                           names=[country["iso3"]], timezone=_zone(cities, code))
    names = {}
    for row, outline in states:
        name = row["gn_name"] or row["name"]
        if not name or not row["iso_a2"]:
            continue
        names.setdefault(row["iso_a2"], []).append((row["name"] or name, outline))
        yield _feature(None, _box(outline), name=row["name"] or name, place="state", country_code=row["iso_a2"],
                       names=[text for text in {row["gn_name"], row["woe_name"]} if text],
                       timezone=_zone(cities, row["iso_a2"]))
    regions = _regions(cities, names)
    for city in cities.values():
        alternatives = [name for name in city["alternatenames"]
                        if city["population"] >= NAMED_BY_OTHERS and not MACHINE_MADE.match(name)]
        yield _feature(city["geonameid"], {"type": "Point", "coordinates": [city["longitude"], city["latitude"]]},
                       name=city["name"], place="populated", population=city["population"],
                       country_code=city["countrycode"], timezone=city["timezone"],
                       region=regions.get((city["countrycode"], city["admin1code"])),
                       names=alternatives)


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


def _regions(cities, states):
    """The names of first-level divisions, of which GeoNames' package has only the codes: the state that holds most of the
    division's large towns."""
    towns = {}
    for city in sorted(cities.values(), key=lambda city: -city["population"]):
        witnesses = towns.setdefault((city["countrycode"], city["admin1code"]), [])
        if len(witnesses) < WITNESSES:
            witnesses.append(city)
    regions = {}
    for (country, division), witnesses in towns.items():
        votes = {}
        for city in witnesses:
            for name, outline in states.get(country, ()):
                if geometry.contains(outline, city["longitude"], city["latitude"]):
                    votes[name] = votes.get(name, 0) + 1
                    break
        if votes:
            regions[country, division] = max(votes, key=votes.get)
    return regions


def build(lines, program, target):
    """Pipes the features into the program that writes the index."""
    writer = subprocess.Popen([program, target, "1"], stdin=subprocess.PIPE, text=True, encoding="utf-8")
    for feature in lines:
        json.dump(feature, writer.stdin, ensure_ascii=False)
        writer.stdin.write("\n")
    writer.stdin.close()
    if writer.wait() != 0:
        raise OSError("the index of the world's places was not written")
