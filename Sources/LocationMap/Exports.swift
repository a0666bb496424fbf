// The types of other targets that are part of this library's interface.

@_exported public import LocationModel
@_exported public import MapModel

// Tiles of a program's own.
@_exported public import class MapData.MBTiles
@_exported public import struct MapData.MapData
@_exported public import struct MapData.Tile
@_exported public import struct MapData.TileArchiveError
@_exported public import struct MapData.TilePath
@_exported public import protocol MapData.TileSource
@_exported public import struct MapData.TileSourceDescription

// Search.
@_exported public import struct PlaceSearch.PlaceAddress
@_exported public import struct PlaceSearch.PlaceIndexError
@_exported public import struct PlaceSearch.PlaceRegion
