"""Writes MBTiles: SQLite files of tiles."""

import os
import sqlite3


def write(path, tiles, metadata):
    """`tiles` are (zoom level, column, row from the south, content)."""
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    # Most tiles are small, and half of them show nothing but the sea, which is kept once.
    database.executescript("""
        PRAGMA page_size = 512;
        CREATE TABLE metadata (name TEXT, value TEXT);
        CREATE TABLE images (tile_id INTEGER PRIMARY KEY, tile_data BLOB);
        CREATE TABLE map (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_id INTEGER,
            PRIMARY KEY (zoom_level, tile_column, tile_row)) WITHOUT ROWID;
        CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data FROM map JOIN images USING (tile_id);""")
    numbers = {}
    for zoom, column, row, content in sorted(tiles):
        if content not in numbers:
            numbers[content] = len(numbers) + 1
            database.execute("INSERT INTO images VALUES (?, ?)", (numbers[content], content))
        database.execute("INSERT INTO map VALUES (?, ?, ?, ?)", (zoom, column, row, numbers[content]))
    database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata)
    database.commit()
    database.close()


def pack(source, path):
    """Copies an archive of tippecanoe's, whose numbers are longer than most tiles."""
    database = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    write(path, database.execute("SELECT zoom_level, tile_column, tile_row, tile_data FROM tiles"),
          database.execute("SELECT name, value FROM metadata").fetchall())
    database.close()
