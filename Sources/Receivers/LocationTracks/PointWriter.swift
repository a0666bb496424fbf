import LocationModel

/// The syntax of a file format, as `TrackPages` needs it.
protocol PointWriter {
    /// The text before the first point.
    static var opening: String { get }
    /// The end of a finished file.
    static var closing: String { get }
    /// The text after the points of the newest page: it ends the document and makes a parser ignore everything up to
    /// `terminal`.
    static var pageClosing: String { get }
    /// The end of the file: it ends the document after points, and the ignored part after `pageClosing`.
    static var terminal: String { get }
    /// The text that replaces the last characters of a full page, so that a parser ignores the spaces up to the next
    /// page (which begins with the replaced characters) or `terminal`.
    static var joint: PageJoint { get }
    /// The text of a point. `segment` is the number of the segment from 0; `isFirst` is true for the first point of the
    /// file, and `beginsSegment` for the first point of every other segment.
    static func text(_ location: Location, segment: Int, isFirst: Bool, beginsSegment: Bool) -> String
}

/// The transition from one page to the next.
struct PageJoint {
    /// The number of bytes at the end of the page that move to the next one, after `start`.
    var moved: Int
    /// The replacement for the moved bytes.
    var end: String
    var start: String
}

extension TrackFormat {
    var writer: any PointWriter.Type {
        switch self {
        case .gpx: GPXWriter.self
        case .geoJSON: GeoJSONWriter.self
        }
    }
}

extension Coordinate {
    /// The latitude in degrees, to a tenth of a millimetre.
    fileprivate var latitudeText: String { DecimalNumber.text(latitude, places: 9) }

    /// The longitude likewise. GPX has no longitude of 180°, which is −180° instead.
    fileprivate var longitudeText: String {
        let text = DecimalNumber.text(longitude, places: 9)
        return text == "180" ? "-180" : text
    }
}

/// Writes GPX 1.1, a point a line, with elements in the order of <https://www.topografix.com/GPX/1/1/gpx.xsd>.
enum GPXWriter: PointWriter {
    /// The value of `src` for a simulated point.
    static let simulated = "simulated"

    static let opening = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="locationd" xmlns="\(GPXNamespace.version1_1)" \
        xmlns:gpxtpx="\(GPXNamespace.garmin)" xmlns:locationd="\(GPXNamespace.own)">
        <trk>
        <trkseg>

        """
    static let closing = "</trkseg>\n</trk>\n</gpx>\n"
    // A processing instruction may follow the document; it ends at the first `?>`.
    static let pageClosing = closing + "<?locationd "
    static let terminal = closing + "<?locationd ?>\n"
    static let joint = PageJoint(moved: 0, end: "", start: "")

    static func text(_ location: Location, segment: Int, isFirst: Bool, beginsSegment: Bool) -> String {
        let coordinate = location.coordinate
        var text = beginsSegment ? "</trkseg>\n<trkseg>\n" : ""
        text += "<trkpt lat=\"\(coordinate.latitudeText)\" lon=\"\(coordinate.longitudeText)\">"
        func element(_ name: String, _ value: String?) {
            if let value { text += "<\(name)>\(value)</\(name)>" }
        }
        element("ele", Measurement.altitude.text(in: location))
        if location.timestamp >= TrackDraft.firstTime { element("time", location.timestamp.description) }
        let geoidHeight = Self.geoidHeight(location)
        element("geoidheight", geoidHeight)
        if location.sourceInformation?.isSimulated == true { element("src", simulated) }

        let extensionsStart = text.endIndex
        let motion = [Measurement.speed, .course].compactMap { measurement in
            measurement.text(in: location).map {
                "<gpxtpx:\(measurement.rawValue)>\($0)</gpxtpx:\(measurement.rawValue)>"
            }
        }
        if !motion.isEmpty { element("gpxtpx:TrackPointExtension", motion.joined()) }
        for measurement in [
            Measurement.ellipsoidalAltitude, .horizontalAccuracy, .verticalAccuracy, .courseAccuracy, .speedAccuracy,
        ] where measurement != .ellipsoidalAltitude || geoidHeight == nil {
            element("locationd:\(measurement.rawValue)", measurement.text(in: location))
        }
        if text.endIndex != extensionsStart {
            text = text[..<extensionsStart] + "<extensions>" + text[extensionsStart...] + "</extensions>"
        }
        return text + "</trkpt>\n"
    }

    /// The height of mean sea level above the ellipsoid: the difference of the two altitudes.
    private static func geoidHeight(_ location: Location) -> String? {
        guard Measurement.altitude.text(in: location) != nil,
            Measurement.ellipsoidalAltitude.text(in: location) != nil,
            let altitude = location.altitude, let ellipsoidalAltitude = location.ellipsoidalAltitude
        else { return nil }
        return DecimalNumber.text(ellipsoidalAltitude - altitude, places: 3)
    }
}

/// Writes GeoJSON (RFC 7946): a collection of points, one a line, with the properties that `locationctl watch --format
/// geojson` prints; `segment` numbers the segments.
enum GeoJSONWriter: PointWriter {
    static let opening = "{\"type\":\"FeatureCollection\",\"features\":[\n"
    static let closing = "\n]}\n"
    // Parsers ignore unknown members of a collection and of a feature (RFC 7946, 6.1).
    static let pageClosing = "\n],\"padding\":[{\"padding\":\""
    static let terminal = "\"}]}\n"
    static let joint = PageJoint(moved: 1, end: ",\"padding\":\"", start: "\"")

    static func text(_ location: Location, segment: Int, isFirst: Bool, beginsSegment: Bool) -> String {
        let (latitude, longitude) = (location.coordinate.latitudeText, location.coordinate.longitudeText)
        let height = Measurement.ellipsoidalAltitude.text(in: location).map { ",\($0)" } ?? ""
        var properties = Measurement.allCases.compactMap { measurement in
            measurement.text(in: location).map { "\"\(measurement.rawValue)\":\($0)" }
        }
        properties.append("\"latitude\":\(latitude),\"longitude\":\(longitude),\"segment\":\(segment)")
        if location.sourceInformation?.isSimulated == true {
            properties.append("\"sourceInformation\":{\"isSimulated\":true}")
        }
        properties.append("\"timestamp\":\"\(location.timestamp)\"")
        return (isFirst ? "" : ",\n")
            + "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(longitude),\(latitude)\(height)]},"
            + "\"properties\":{\(properties.joined(separator: ","))}}"
    }
}
