"""Makes pictures of the whole earth (equirectangular) into MBTiles files of WebP tiles in Web Mercator: a satellite picture
and, for the standard map, the shadows of hills."""

import io
import math

import numpy
from PIL import Image, ImageFilter

import archive

TILE = 256
STRIP = 8
# The radius, in pixels of the shaded relief, that tells slopes from the colours of the land.
SLOPES = 14
# The grey of level ground in the tiles of shadows, as the page expects it.
LEVEL = 128


def satellite(picture, relief, target, maximum_zoom, credit):
    """Blue Marble with the shadows of a relief that is twice as fine. Without them it is one colour at larger scales."""
    Image.MAX_IMAGE_PIXELS = None
    slopes = shadows(relief)
    # Blue Marble is dark on a screen: lift the shadows, leave the snow.
    brighter = [round(255 * (value / 255) ** 0.72) for value in range(256)] * 3
    colours = Image.open(picture).convert("RGB").point(brighter).resize(
        (slopes.shape[1], slopes.shape[0]), Image.Resampling.BICUBIC)
    shaded = numpy.asarray(colours) * (1 + 1.2 * slopes[..., numpy.newaxis])
    _archive(Image.fromarray(numpy.clip(shaded, 0, 255).astype(numpy.uint8)), target, "imagery", maximum_zoom, credit, 28)


def hills(relief, target, maximum_zoom, credit):
    """The shadows alone, in grey."""
    Image.MAX_IMAGE_PIXELS = None
    grey = numpy.clip(LEVEL * (1 + 2.2 * shadows(relief)), 0, 255).astype(numpy.uint8)
    _archive(Image.fromarray(grey), target, "relief", maximum_zoom, credit, 28)


def shadows(relief):
    """How much lighter or darker than its surroundings each point of the land is, from -0.4 to 0.4. 0 at sea."""
    picture = Image.open(relief).convert("RGB")
    colours = numpy.asarray(picture)
    # The sea is a pale blue.
    isLand = ~((colours[..., 2].astype(numpy.int16) - colours[..., 0] > 24) & (colours[..., 2] > 185))
    light = numpy.where(isLand, numpy.asarray(picture.convert("L")), 0)
    mask = Image.fromarray(isLand.astype(numpy.uint8) * 255)

    def blurred(image, by):
        return numpy.asarray(image.filter(by)).astype(numpy.float32)

    share = blurred(mask, ImageFilter.BoxBlur(SLOPES)) / 255
    mean = blurred(Image.fromarray(light.astype(numpy.uint8)), ImageFilter.BoxBlur(SLOPES)) / numpy.maximum(share, 0.05)
    inland = blurred(mask, ImageFilter.GaussianBlur(1.5)) / 255
    return numpy.where(isLand, numpy.clip(light / numpy.maximum(mean, 1) - 1, -0.4, 0.4) * inland, 0).astype(numpy.float32)


def _archive(picture, target, name, maximum_zoom, credit, quality):
    tiles = []
    for zoom in range(maximum_zoom, -1, -1):
        size = TILE << zoom
        if size < picture.width:
            picture = picture.resize((size, size // 2), Image.Resampling.BOX)
        tiles += _tiles(picture, zoom, quality)
    archive.write(target, tiles, {
        "name": name, "format": "webp", "type": "baselayer", "minzoom": "0", "maxzoom": str(maximum_zoom),
        "bounds": "-180,-85.0511,180,85.0511", "attribution": credit,
    }.items())


def _tiles(picture, zoom, quality):
    size = TILE << zoom
    for row in range(1 << zoom):
        band = picture.transform((size, TILE), Image.Transform.MESH, _strips(picture, size, row * TILE),
                                 Image.Resampling.BICUBIC)
        for column in range(1 << zoom):
            data = io.BytesIO()
            band.crop((column * TILE, 0, (column + 1) * TILE, TILE)).save(data, "WEBP", quality=quality, method=4)
            yield zoom, column, (1 << zoom) - 1 - row, data.getvalue()


def _strips(picture, size, top):
    """Strips of a few rows each, within which the projection is straight."""
    width, height = picture.size

    def source(y):
        latitude = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * y / size))))
        return (90 - latitude) / 180 * height

    for strip in range(0, TILE, STRIP):
        north, south = source(top + strip), source(top + strip + STRIP)
        yield (0, strip, size, strip + STRIP), (0, north, 0, south, width, south, width, north)
