"""Makes a picture of the whole earth (equirectangular) into an MBTiles file of JPEG tiles in Web Mercator."""

import io
import math
import os
import sqlite3

from PIL import Image

TILE = 256
STRIP = 4


def build(source, target, maximum_zoom):
    Image.MAX_IMAGE_PIXELS = None
    picture = _brightened(Image.open(source).convert("RGB"))
    size = TILE << maximum_zoom
    mercator = picture.transform((size, size), Image.Transform.MESH, _strips(picture, size), Image.Resampling.BICUBIC)

    if os.path.exists(target):
        os.remove(target)
    database = sqlite3.connect(target)
    database.executescript("""
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
        CREATE UNIQUE INDEX tile_index ON tiles (zoom_level, tile_column, tile_row);""")
    for zoom in range(maximum_zoom, -1, -1):
        if zoom < maximum_zoom:
            mercator = mercator.resize((TILE << zoom, TILE << zoom), Image.Resampling.BOX)
        database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", _tiles(mercator, zoom))
    database.executemany("INSERT INTO metadata VALUES (?, ?)", {
        "name": "imagery", "format": "jpg", "type": "baselayer", "minzoom": "0", "maxzoom": str(maximum_zoom),
        "bounds": "-180,-85.0511,180,85.0511", "attribution": "NASA Blue Marble",
    }.items())
    database.commit()
    database.close()


def _strips(picture, size):
    """Strips of a few rows each, within which the projection is straight."""
    width, height = picture.size

    def row(y):
        latitude = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y / size))))
        return (90 - latitude) / 180 * height

    for top in range(0, size, STRIP):
        north, south = row(top), row(top + STRIP)
        yield (0, top, size, top + STRIP), (0, north, 0, south, width, south, width, north)


def _brightened(picture):
    """Blue Marble is dark on a screen: lift the shadows, leave the snow."""
    return picture.point([round(255 * (value / 255) ** 0.8) for value in range(256)] * 3)


def _tiles(mercator, zoom):
    for x in range(1 << zoom):
        for y in range(1 << zoom):
            data = io.BytesIO()
            mercator.crop((x * TILE, y * TILE, (x + 1) * TILE, (y + 1) * TILE)).save(data, "JPEG", quality=82)
            yield zoom, x, (1 << zoom) - 1 - y, data.getvalue()
