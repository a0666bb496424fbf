import LocationModel
import StrictJSON

/// Reads the points and lines of GeoJSON (RFC 7946) as a track.
struct GeoJSONReader {
    private var draft = TrackDraft()
    private var json: JSONScanner
    /// The property `segment` of the last point.
    private var segment: Double?
    /// The line of the current feature, for errors in its meaning.
    private var lineOfFeature: Int?

    static func read(_ bytes: [UInt8], file: String) throws(TrackError) -> Track {
        guard !bytes.isEmpty else { throw TrackError(file: file, line: 1, reason: "the file is empty") }
        let start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        var reader = GeoJSONReader(json: JSONScanner(bytes, in: start..<bytes.count, acceptsRepeatedNames: true))
        do {
            repeat { try reader.readDocument() } while !reader.json.isAtEnd
        } catch {
            let refusal = error as? TrackRefusal ?? (error as? JSONFlaw).map(TrackRefusal.init)
            throw TrackError(
                file: file, line: reader.lineOfFeature ?? reader.json.line, reason: refusal?.reason ?? "\(error)")
        }
        return reader.draft.track
    }

    private init(json: JSONScanner) {
        self.json = json
    }

    /// Reads a collection, one feature at a time so that only one is in memory as text, or a single feature.
    private mutating func readDocument() throws {
        var members: [String: JSONNode] = [:]
        var hasFeatures = false
        if json.isAtEnd { throw JSONFlaw.cutShort }
        let line = json.line
        try json.openObject()
        while let name = try json.nextMember() {
            guard name == "features" else {
                members[name] = try json.node()
                continue
            }
            hasFeatures = true
            try json.openArray()
            while try json.nextElement() {
                let feature = try json.node()
                lineOfFeature = feature.line
                try add(feature)
                lineOfFeature = nil
            }
        }
        lineOfFeature = line
        if !hasFeatures { try add(JSONNode(line: line, content: .object(members))) }
        guard members["type"]?.string == (hasFeatures ? "FeatureCollection" : "Feature") else { throw Self.foreign }
        lineOfFeature = nil
    }

    private static let foreign = TrackRefusal(reason: "this is no GeoJSON feature, nor a collection of features")

    // MARK: - Features

    private mutating func add(_ feature: JSONNode) throws(TrackRefusal) {
        guard feature["type"]?.string == "Feature" else { throw Self.foreign }
        guard let geometry = feature["geometry"], !geometry.isNull else { return }
        switch geometry["type"]?.string {
        case "Point": try addPoint(geometry, feature["properties"])
        case "LineString": try addLine(geometry, feature["properties"])
        default: return
        }
    }

    private mutating func addPoint(_ geometry: JSONNode, _ properties: JSONNode?) throws(TrackRefusal) {
        var point = try point(geometry["coordinates"])
        for measurement in Measurement.allCases {
            if let value = properties?[measurement.rawValue], !value.isNull { try point.set(measurement, value.number) }
        }
        if let time = properties?["timestamp"] ?? properties?["time"], !time.isNull {
            try point.setTime(time.string ?? "")
        }
        if let source = properties?["sourceInformation"], case .boolean(true)? = source["isSimulated"]?.content {
            point.setSimulated()
        }
        if point.time == nil, let name = properties?["name"]?.string {
            // A named place that is not part of the track.
            let details = properties?["description"]?.string ?? properties?["desc"]?.string
            return try draft.add(
                Track.Waypoint(coordinate: point.location.coordinate, name: name, details: details))
        }
        let segment = properties?["segment"]?.number
        if segment != self.segment { draft.endSegment() }
        self.segment = segment
        try draft.add(point)
    }

    private mutating func addLine(_ geometry: JSONNode, _ properties: JSONNode?) throws(TrackRefusal) {
        let positions = geometry["coordinates"]?.array ?? []
        let times = properties?["coordTimes"]?.array
        if let times, times.count != positions.count {
            throw TrackRefusal(reason: "this line has \(positions.count) positions but \(times.count) coordTimes")
        }
        draft.endSegment()
        for (index, position) in positions.enumerated() {
            lineOfFeature = position.line
            var point = try point(position)
            if let time = times?[index], !time.isNull { try point.setTime(time.string ?? "") }
            try draft.add(point)
        }
        draft.endSegment()
        if let name = properties?["name"]?.string, draft.name == nil { draft.name = name }
    }

    /// Reads a position: longitude, latitude and optionally the height above the ellipsoid.
    private func point(_ position: JSONNode?) throws(TrackRefusal) -> PointDraft {
        let numbers = position?.array ?? []
        var point = try PointDraft(
            line: position?.line ?? json.line, latitude: numbers.dropFirst().first?.number,
            longitude: numbers.first?.number)
        if numbers.count > 2 { try point.set(.ellipsoidalAltitude, numbers[2].number) }
        return point
    }
}
