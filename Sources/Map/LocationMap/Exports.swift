// The types of other modules that are part of this library's interface.

// The user's location: all of LocationClient, as `import MapKit` gives all of Core Location.
@_exported public import LocationClient

// MapKit's values.
@_exported public import struct MapModel.AnnotationViewZPriority
@_exported public import enum MapModel.CollisionMode
@_exported public import struct MapModel.Color
@_exported public import struct MapModel.CoordinateRegion
@_exported public import struct MapModel.CoordinateSpan
@_exported public import struct MapModel.DistanceFormatter
@_exported public import struct MapModel.Drawing
@_exported public import struct MapModel.DrawingPath
@_exported public import struct MapModel.FeatureDisplayPriority
@_exported public import enum MapModel.FeatureVisibility
@_exported public import struct MapModel.MapCamera
@_exported public import struct MapModel.MapPoint
@_exported public import struct MapModel.MapRect
@_exported public import struct MapModel.MapSize

// Tiles of a program's own, and the installed regions.
@_exported public import class MapTiles.MBTiles
@_exported public import struct MapTiles.MapData
@_exported public import struct MapTiles.MapRegions
@_exported public import struct MapTiles.Tile
@_exported public import struct MapTiles.TileArchiveError
@_exported public import struct MapTiles.TilePath
@_exported public import protocol MapTiles.TileSource
@_exported public import struct MapTiles.TileSourceDescription

// Search.
@_exported public import struct PlaceSearch.OpeningTimes
@_exported public import struct PlaceSearch.PlaceAddress
@_exported public import struct PlaceSearch.PlaceIndexError
