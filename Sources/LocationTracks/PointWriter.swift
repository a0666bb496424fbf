import LocationModel

/// How a form of file is written, page by page: see `TrackPages`.
protocol PointWriter {
    /// What stands before the first point.
    static var opening: String { get }
    /// What ends a file that is finished.
    static var closing: String { get }
    /// What follows the points of a page: it ends the document, and has everything up to `terminal` mean nothing.
    static var pageClosing: String { get }
    /// What ends the file: after points it ends the document, after `pageClosing` what that began.
    static var terminal: String { get }
    /// What is put in the place of the last characters of a page that is full, so that spaces may follow, up to those
    /// that begin the next page (and are followed by the ones that were replaced), or up to `terminal`.
    static var joint: PageJoint { get }
    /// A point. `segment` counts the stretches from 0; `isFirst` is true for the first point of the file, and
    /// `beginsSegment` for the first one of every other stretch.
    static func text(_ location: Location, segment: Int, isFirst: Bool, beginsSegment: Bool) -> String
}

/// How one page goes on where another ends.
struct PageJoint {
    /// So many bytes at the end of the page are replaced; they begin the next one, after `start`.
    var moved: Int
    /// What they are replaced by.
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
    /// Degrees to a tenth of a millimetre.
    fileprivate var latitudeText: String { DecimalNumber.text(latitude, places: 9) }

    /// The same. GPX knows no longitude of 180°: it is −180°.
    fileprivate var longitudeText: String {
        let text = DecimalNumber.text(longitude, places: 9)
        return text == "180" ? "-180" : text
    }
}

/// GPX 1.1, a point a line: <https://www.topografix.com/GPX/1/1/gpx.xsd> says in which order the elements come.
enum GPXWriter: PointWriter {
    /// The source of a point that no receiver measured.
    static let simulated = "simulated"

    static let opening = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="locationd" xmlns="\(GPXNamespace.version1_1)" \
        xmlns:gpxtpx="\(GPXNamespace.garmin)" xmlns:locationd="\(GPXNamespace.own)">
        <trk>
        <trkseg>

        """
    static let closing = "</trkseg>\n</trk>\n</gpx>\n"
    // A processing instruction may follow the document, and goes on to the first `?>`.
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
        element("time", location.timestamp.description)
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

/// GeoJSON (RFC 7946): a collection of points, one a line, with the properties that `locationctl watch --format geojson`
/// prints; `segment` counts the stretches without a pause.
enum GeoJSONWriter: PointWriter {
    static let opening = "{\"type\":\"FeatureCollection\",\"features\":[\n"
    static let closing = "\n]}\n"
    // Members of other names mean nothing, neither to a collection nor to a feature (RFC 7946, 6.1).
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
