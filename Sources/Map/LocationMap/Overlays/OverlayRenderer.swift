public import MapModel

/// The object that draws an overlay (MapKit's `MKOverlayRenderer`). Subclass it to draw an overlay of your own as a
/// picture.
@MainActor
open class OverlayRenderer {
    /// The overlay.
    public let overlay: any Overlay
    /// The opacity, from 0 (transparent) to 1 (opaque). Default 1.
    public var alpha = 1.0 { didSet { changed() } }
    weak var map: MapView?
    /// The picture returned by ``draw()``, kept for later pages.
    private var picture: MapImage?
    /// True if ``draw()`` has been called since the overlay was to be drawn again.
    private var isDrawn = false

    /// Creates a renderer of `overlay`.
    public init(overlay: any Overlay) { self.overlay = overlay }

    /// Returns the picture that fills the overlay's ``Overlay/boundingMapRect``; `nil`, the default, for none.
    ///
    /// Called once when a page is to show the overlay, and after each ``setNeedsDisplay()``.
    open func draw() -> MapImage? { nil }

    /// Draws the overlay again.
    public func setNeedsDisplay() {
        isDrawn = false
        map?.rendererChanged(self, isNewShape: true)
    }

    func changed() { map?.rendererChanged(self, isNewShape: false) }

    /// Sets the overlay's description for the page, without its drawing order.
    func describe(in wire: inout WireOverlay, images: ImageStore) {
        if !isDrawn { (picture, isDrawn) = (draw(), true) }
        let rect = overlay.boundingMapRect
        // An overlay without a finite extent cannot be encoded, and would keep the others from the pages.
        guard let picture, [rect.minX, rect.minY, rect.maxX, rect.maxY].allSatisfy(\.isFinite) else { return }
        wire.kind = .image
        wire.image = images.address(of: picture)
        wire.corners = [(rect.minX, rect.minY), (rect.maxX, rect.minY), (rect.maxX, rect.maxY), (rect.minX, rect.maxY)]
            .map { WirePosition(MapPoint(x: $0.0, y: $0.1)) }
    }
}

/// The shape of a line's ends.
public enum LineCap: String, Hashable, Sendable, Encodable {
    case butt, round, square
}

/// The shape of a line's corners.
public enum LineJoin: String, Hashable, Sendable, Encodable {
    case miter, round, bevel
}

/// The renderer of lines and areas (MapKit's `MKOverlayPathRenderer`).
open class OverlayPathRenderer: OverlayRenderer {
    /// The colour of the area; `nil`, the default, for none.
    public var fillColor: Color? { didSet { changed() } }
    /// The colour of the line; `nil`, the default, for none.
    public var strokeColor: Color? { didSet { changed() } }
    /// The width of the line, in pixels. 0, the default, selects a width that suits the map, as in MapKit.
    public var lineWidth = 0.0 { didSet { changed() } }
    /// The lengths of dashes and gaps in turn, in pixels; empty, the default, for a solid line.
    public var lineDashPattern: [Double] = [] { didSet { changed() } }
    /// The shape of the line's ends. Default round.
    public var lineCap = LineCap.round { didSet { changed() } }
    /// The shape of the line's corners. Default round.
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

/// The renderer of a ``Circle``.
open class CircleRenderer: OverlayPathRenderer {
    /// Creates a renderer of `circle`.
    public convenience init(circle: Circle) { self.init(overlay: circle) }
    /// The circle.
    public var circle: Circle? { overlay as? Circle }
}

/// The renderer of a ``Polyline``.
open class PolylineRenderer: OverlayPathRenderer {
    /// Creates a renderer of `polyline`.
    public convenience init(polyline: Polyline) { self.init(overlay: polyline) }
    /// The line.
    public var polyline: Polyline? { overlay as? Polyline }
}

/// The renderer of a ``Polyline`` with a colour gradient along it (MapKit's `MKGradientPolylineRenderer`). A gradient has
/// no dashes.
open class GradientPolylineRenderer: PolylineRenderer {
    /// The colours along the line.
    public private(set) var colors: [Color] = []
    /// The positions of ``colors``, from 0 at the line's start to 1 at its end, ascending.
    public private(set) var locations: [Double] = []

    /// Sets the colours at `locations`, which ``Polyline/locations(atPointIndexes:)`` returns for points of the line.
    /// Between two the colours blend; before the first and after the last the line has their colours.
    ///
    /// Both arrays have the same count, and `locations` ascend from 0 to 1; otherwise nothing changes. As lengths are
    /// relative, a line that grows needs new locations.
    public func setColors(_ colors: [Color], locations: [Double]) {
        let isAscending = zip(locations, locations.dropFirst()).allSatisfy { $0 < $1 }
        guard colors.count == locations.count, isAscending, locations.allSatisfy((0...1).contains) else { return }
        (self.colors, self.locations) = (colors, locations)
        changed()
    }

    override func describe(in wire: inout WireOverlay, images: ImageStore) {
        super.describe(in: &wire, images: images)
        guard let first = colors.first else { return }
        wire.stroke = first.wire
        wire.width = lineWidth > 0 ? lineWidth : 2
        wire.dash = nil
        wire.gradient = zip(locations, colors).map { WireOverlay.Stop(location: $0, color: $1.wire) }
    }
}

/// The renderer of a ``MultiPolyline``.
open class MultiPolylineRenderer: OverlayPathRenderer {
    /// Creates a renderer of `multiPolyline`.
    public convenience init(multiPolyline: MultiPolyline) { self.init(overlay: multiPolyline) }
}

/// The renderer of a ``Polygon``.
open class PolygonRenderer: OverlayPathRenderer {
    /// Creates a renderer of `polygon`.
    public convenience init(polygon: Polygon) { self.init(overlay: polygon) }
    /// The area.
    public var polygon: Polygon? { overlay as? Polygon }
}

/// The renderer of a ``MultiPolygon``.
open class MultiPolygonRenderer: OverlayPathRenderer {
    /// Creates a renderer of `multiPolygon`.
    public convenience init(multiPolygon: MultiPolygon) { self.init(overlay: multiPolygon) }
}

/// The renderer of a ``TileOverlay``.
open class TileOverlayRenderer: OverlayRenderer {
    /// Creates a renderer of `tileOverlay`.
    public convenience init(tileOverlay: TileOverlay) { self.init(overlay: tileOverlay) }

    /// Loads all tiles again.
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
