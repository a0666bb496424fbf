import MapTiles
import MapModel
import PageServing

/// The state of a page. Positions are `[longitude, latitude]` in degrees, lengths are in metres or CSS pixels as
/// stated, directions in degrees clockwise; colours are CSS.
///
/// A page receives all of it when it connects (`state`), and then each changed part as an event with the part's name.
/// An absent member is unknown or does not exist.
struct WireState: Encodable {
    /// The page's name in its posts.
    var page: String
    /// The number of the map's latest event.
    var revision: Int
    var map: WireMap
    var camera: WireCamera
    var controls: [WireControl]
    /// The steps of a scale by unit, in metres and as text.
    var scaleSteps = [
        ScaleView.Unit.metric.rawValue: ScaleStep.metric, ScaleView.Unit.imperial.rawValue: ScaleStep.imperial,
    ]
    var user: WireUser
    var tracking: WireTracking
    var sources: [WireSource]
    var overlays: [WireOverlay]
    var views: [WireView]
    var selected: WireSelection?
    /// Absent for a program that keeps none.
    var saved: WireSavedPlaces?
    /// Absent for a program whose pages do not change the regions.
    var regions: WireRegions?
    /// True if the program shows vehicles, which follow once the page has said what it shows; absent otherwise.
    var hasFleet: Bool?
    /// True if the vehicles are shown as they are now; `nil` if not.
    var isFleetLive: Bool?
    /// True if the past of the vehicles can be played back; `nil` if not.
    var hasRecording: Bool?
    var prompt: WirePrompt?
}

/// A position in GeoJSON's order (RFC 7946, 3.1.1): longitude, latitude.
struct WirePosition: Hashable, Codable, Sendable {
    var longitude: Double
    var latitude: Double

    init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        longitude = try values.decode(Double.self)
        latitude = try values.decode(Double.self)
        guard values.isAtEnd, longitude.isFinite, (-90...90).contains(latitude) else {
            throw DecodingError.dataCorruptedError(in: values, debugDescription: "no position")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.unkeyedContainer()
        try values.encode(Self.rounded(longitude))
        try values.encode(Self.rounded(latitude))
    }

    /// Rounds degrees to a ten-millionth, which is about a centimetre.
    static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
}

/// The type of the map and the gestures that it allows.
struct WireMap: Encodable, Hashable {
    var type: MapType
    var title: String
    /// Additional items of the context menu.
    var menuItems: [String]
    var isZoomEnabled: Bool
    var isScrollEnabled: Bool
    var isRotateEnabled: Bool
    var isPitchEnabled: Bool
    var appearance: MapAppearance
    var showsUserLocation: Bool
    /// True if the page offers the other map types.
    var offersTypes: Bool
    var minimumZoom: Double
    var maximumZoom: Double
    /// The area of the centre: west, south, east and north, of which east may be above 180.
    var boundary: [Double]?
    /// The points of interest that are shown; all if absent.
    var pointsOfInterest: WirePointFilter?
    /// True if the page keeps the view in its address, and starts with the view in its address.
    var followsAddress: Bool
}

/// A choice of points of interest by their kinds or families of kinds.
struct WirePointFilter: Encodable, Hashable {
    var names: [String]
    /// True if only these are shown; false if all others are.
    var includes: Bool
}

/// The camera of the map.
struct WireCamera: Encodable, Hashable {
    var center: WirePosition
    /// MapLibre's zoom: at 0 the world is 512 pixels wide; each level doubles it.
    var zoom: Double
    /// The direction at the top, in degrees clockwise from true north.
    var heading: Double
    /// The pitch in degrees from straight down.
    var pitch: Double
    var animated: Bool
    /// The number with which the page reports the end of this move.
    var sequence: Int?
    /// The page that made this gesture and is there already.
    var page: String?
}

/// A control on the map.
struct WireControl: Encodable, Hashable {
    var kind: MapControl.Kind
    var placement: MapControl.Placement
    var visibility: FeatureVisibility
    /// The units of a scale.
    var unit: ScaleView.Unit?
    /// The alignment of a scale's text; leading if absent.
    var alignment: ScaleView.Alignment?
    /// True for a search field whose rows are the program's; absent otherwise.
    var hasOwnRows: Bool?
    /// The words in an empty search field; the page's if absent.
    var placeholder: String?
    /// The background, border and corners; those of the page's style if absent.
    var layer: WireControlLayer?
    var order: Int
}

/// The background, border and corners of a control. Colours are CSS's, lengths pixels.
struct WireControlLayer: Encodable, Hashable {
    var background: String?
    var border: String
    var borderWidth: Double
    var cornerRadius: Double?
    var masksToBounds: Bool
    /// The colours on a background above the standard map; the page's if absent.
    var inks: WireInks?
    /// The colours on a background above satellite images.
    var imageryInks: WireInks?
}

/// The colours of text and of icons that are highlighted.
struct WireInks: Encodable, Hashable {
    var text: String
    var accent: String
}

/// The user's location.
struct WireUser: Encodable, Hashable {
    enum Status: String, Encodable {
        case off, asking, waiting, located, stale, denied, restricted, suspended, unavailable, failed
    }

    var status: Status
    var position: WirePosition?
    var accuracy: Double?
    /// The source in words, if it is no receiver.
    var source: String?
    var isReduced = false
    var heading: Double?
    var course: Double?
    var speed: Double?
    var title: String
    /// A sentence for the user, in English.
    var message: String?
    /// The identifier of what it is about, by which pages in other languages have a sentence: a ``LocationReason``, or the name of
    /// a case of ``LocationError``.
    var reason: String?
    /// The time at which the frame arrived from locationd, in milliseconds since 1970.
    var at: Double?
    /// The time at which the last fix arrived at locationd, in milliseconds since 1970.
    var fixedAt: Double?
    /// The program's own view; `nil` for the dot.
    var view: WireView?
}

/// The state of tracking.
struct WireTracking: Encodable, Hashable {
    var mode: String
    var isHeadingAvailable: Bool
    var isLocationAvailable: Bool
    /// The last change as a sentence, for screen readers.
    var announcement: String?
}

/// A source of map data.
struct WireSource: Encodable, Hashable {
    var name: String
    var kind: String
    var format: Tile.Format
    var minimumZoom: Int
    var maximumZoom: Int
    var bounds: [Double]?
    /// The boxes with data within its bounds.
    var areas: [[Double]]
    /// The revision, a part of the tiles' addresses.
    var revision: Int
    var tileSize: Int
    var attribution: String
    var layers: [String]

    init(_ source: TileSourceDescription) {
        name = source.name
        kind = source.format == .pbf ? "vector" : "raster"
        format = source.format
        minimumZoom = source.zoomLevels.lowerBound
        maximumZoom = source.zoomLevels.upperBound
        bounds = source.bounds
        areas = source.areas.isEmpty ? [source.bounds].compactMap(\.self) : source.areas
        // JavaScript's numbers are exact up to 2^53.
        revision = source.revision & 0xffff_ffff
        tileSize = source.format == .pbf ? 512 : source.tileSize
        attribution = source.attribution
        layers = source.layers
    }
}

extension Tile.Format: Encodable {}

/// The selected view, at most one.
struct WireSelection: Encodable, Hashable {
    var id: String
    var animated: Bool
    var showsCallout: Bool
}

/// A message that pages show for a while.
struct WireNotice: Encodable, Hashable {
    enum Kind: String, Encodable { case info, warning, error }

    var kind: Kind
    var sentence: PageSentence
}
