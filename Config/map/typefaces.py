"""The typeface of the page, for its labels and controls: Noto Sans, with the letters of Latin, Greek and Cyrillic scripts. Those of
others, which are many times as large, are the system's."""

from fontTools import subset

LETTERS = [*range(0x20, 0x250), *range(0x2B0, 0x530), *range(0x1E00, 0x1F00), *range(0x2000, 0x2070), *range(0x20A0, 0x20C0),
           *range(0x2100, 0x2150), *range(0x2190, 0x219A), 0x2212, 0x2022]


def web_font(source, target):
    options = subset.Options(flavor="woff2", hinting=False, layout_features=["kern", "mark", "mkmk", "ccmp", "locl"])
    font = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=LETTERS)
    subsetter.subset(font)
    subset.save_font(font, target, options)
