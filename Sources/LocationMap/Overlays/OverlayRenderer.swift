public import MapModel

/// Draws an overlay (MapKit's `MKOverlayRenderer`). A subclass draws an overlay of the program's own.
@MainActor
open class OverlayRenderer {
    /// The overlay that is drawn.
    public let overlay: any Overlay
    /// The opacity, from 0 (transparent) to 1 (opaque). Default 1.
    public var alpha = 1.0 { didSet { changed() } }
    weak var map: MapView?
    /// The picture that ``draw()`` made, kept for pages that come later.
    private var drawn: MapImage??

    /// The renderer of `overlay`.
    public init(overlay: any Overlay) { self.overlay = overlay }

    /// The picture that fills the overlay's ``Overlay/boundingMapRect``; `nil`, the default, for none.
    ///
    /// Called once when a page is to show the overlay, and after each ``setNeedsDisplay()``.
    open func draw() -> MapImage? { nil }

    /// Has the overlay drawn anew.
    public func setNeedsDisplay() {
        drawn = nil
        map?.rendererChanged(self, isNewShape: true)
    }

    func changed() { map?.rendererChanged(self, isNewShape: false) }

    /// Describes the overlay for the page, without its place among the others.
    func describe(in wire: inout WireOverlay, images: ImageStore) {
        let image = drawn ?? draw()
        drawn = .some(image)
        let rect = overlay.boundingMapRect
        // An overlay without a place cannot be encoded, and would keep the others from the pages.
        guard let image, rect.minX.isFinite, rect.minY.isFinite, rect.maxX.isFinite, rect.maxY.isFinite else { return }
        wire.kind = .image
        wire.image = images.address(of: image)
        wire.corners = [(rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)]
            .map { WirePosition(MapPoint(x: $0.0, y: $0.1)) }
    }
}

/// The end of a line.
public enum LineCap: String, Hashable, Sendable, Encodable {
    case butt, round, square
}

/// The corner of a line.
public enum LineJoin: String, Hashable, Sendable, Encodable {
    case miter, round, bevel
}

/// Draws lines and areas (MapKit's `MKOverlayPathRenderer`).
open class OverlayPathRenderer: OverlayRenderer {
    /// The colour inside; `nil` for none.
    public var fillColor: Color? { didSet { changed() } }
    /// The colour of the line; `nil` for none.
    public var strokeColor: Color? { didSet { changed() } }
    /// The width of the line, in pixels. 0, as in MapKit, stands for a width that fits the map.
    public var lineWidth = 0.0 { didSet { changed() } }
    /// The lengths of dashes and gaps in turns, in pixels; empty, the default, for a line without gaps.
    public var lineDashPattern: [Double] = [] { didSet { changed() } }
    /// The ends of the line.
    public var lineCap = LineCap.round { didSet { changed() } }
    /// The corners of the line.
    public var lineJoin = LineJoin.round { didSet { changed() } }

    override func describe(in wire: inout WireOverlay, images: ImageStore) {
        wire.kind = .shape
        wire.geometry = (overlay as? Shape)?.geometry
        wire.fill = fillColor?.wire
        wire.stroke = strokeColor?.wire
        wire.width = strokeColor == nil ? nil : lineWidth > 0 ? lineWidth : 2
        wire.dash = lineDashPattern.isEmpty ? nil : lineDashPattern.map { max(0, $0) }
        wire.cap = lineCap
        wire.join = lineJoin
    }
}

/// Draws a ``Circle``.
open class CircleRenderer: OverlayPathRenderer {
    /// The renderer of `circle`.
    public convenience init(circle: Circle) { self.init(overlay: circle) }
    /// The overlay that is drawn.
    public var circle: Circle? { overlay as? Circle }
}

/// Draws a ``Polyline``.
open class PolylineRenderer: OverlayPathRenderer {
    /// The renderer of `polyline`.
    public convenience init(polyline: Polyline) { self.init(overlay: polyline) }
    /// The overlay that is drawn.
    public var polyline: Polyline? { overlay as? Polyline }
}

/// Draws a ``MultiPolyline``.
open class MultiPolylineRenderer: OverlayPathRenderer {
    /// The renderer of `multiPolyline`.
    public convenience init(multiPolyline: MultiPolyline) { self.init(overlay: multiPolyline) }
}

/// Draws a ``Polygon``.
open class PolygonRenderer: OverlayPathRenderer {
    /// The renderer of `polygon`.
    public convenience init(polygon: Polygon) { self.init(overlay: polygon) }
    /// The overlay that is drawn.
    public var polygon: Polygon? { overlay as? Polygon }
}

/// Draws a ``MultiPolygon``.
open class MultiPolygonRenderer: OverlayPathRenderer {
    /// The renderer of `multiPolygon`.
    public convenience init(multiPolygon: MultiPolygon) { self.init(overlay: multiPolygon) }
}

/// Draws a ``TileOverlay``.
open class TileOverlayRenderer: OverlayRenderer {
    /// The renderer of `tileOverlay`.
    public convenience init(tileOverlay: TileOverlay) { self.init(overlay: tileOverlay) }

    /// Has all tiles loaded anew.
    public func reloadData() { setNeedsDisplay() }

    override func describe(in wire: inout WireOverlay, images: ImageStore) {
        guard let overlay = overlay as? TileOverlay else { return }
        wire.kind = .tiles
        wire.tiles = "overlay-tiles/\(wire.id)/{z}/{x}/{y}?r=\(wire.revision)"
        wire.tileSize = overlay.tileSize
        wire.minimumZoom = overlay.zoomLevels.lowerBound
        wire.maximumZoom = overlay.zoomLevels.upperBound
        wire.replacesMap = overlay.canReplaceMapContent
    }
}
