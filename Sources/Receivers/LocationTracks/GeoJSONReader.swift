import LocationModel
import StrictJSON

/// Reads the points and lines of GeoJSON (RFC 7946) as a track.
struct GeoJSONReader {
    /// The names of the list of features: in a collection, and in the messages of Overland.
    private static let collections: Set<String> = ["features", "locations"]
    /// The greatest depth of nested collections of geometries.
    private static let maximumDepth = 8

    private var draft = TrackDraft()
    private var json: JSONScanner
    /// The property `segment` of the last point.
    private var segment: Double?
    /// The line of the current feature, for errors in its meaning.
    private var lineOfFeature: Int?

    static func read(_ content: TrackContent) throws(TrackError) -> Track {
        let beginning = try content.beginning()
        var bytes = try content.bytes()
        while let last = bytes.last, last == 0 { bytes.removeLast() }
        guard beginning.offset < bytes.count else {
            throw TrackError(file: content.file, line: 1, reason: "the file is empty")
        }
        // The byte-order mark, and the separators of a sequence of features (RFC 8142).
        for index in 0..<beginning.offset where bytes[index] >= 0x80 { bytes[index] = UInt8(ascii: " ") }
        if bytes[..<beginning.offset].contains(0x1e) {
            for index in bytes.indices where bytes[index] == 0x1e { bytes[index] = UInt8(ascii: " ") }
        }
        var reader = GeoJSONReader(json: JSONScanner(bytes, isLenient: true))
        do {
            repeat { try reader.readDocument() } while !reader.json.isAtEnd
        } catch {
            let refusal = error as? TrackRefusal ?? (error as? JSONFlaw).map(TrackRefusal.init)
            throw TrackError(
                file: content.file, line: reader.lineOfFeature ?? reader.json.line,
                reason: refusal?.reason ?? "\(error)")
        }
        reader.draft.endSegment(isLine: false)
        return try reader.draft.finish(file: content.file)
    }

    private init(json: JSONScanner) {
        self.json = json
    }

    /// Reads a collection, one feature at a time so that only one is in memory as text, a single feature, or a geometry.
    private mutating func readDocument() throws {
        var members: [String: JSONNode] = [:]
        var hasFeatures = false
        if json.isAtEnd { throw JSONFlaw.cutShort }
        let line = json.line
        if try json.kind == .array {
            try readFeatures()
            return
        }
        try json.openObject()
        while let name = try json.nextMember() {
            guard Self.collections.contains(name), try json.kind == .array else {
                members[name] = try json.node()
                continue
            }
            hasFeatures = true
            try readFeatures()
        }
        lineOfFeature = line
        if hasFeatures {
            guard ["FeatureCollection", nil].contains(members["type"]?.string) else { throw Self.foreign }
        } else {
            let object = JSONNode(line: line, content: .object(members))
            guard object["geometry"] != nil || object["coordinates"] != nil || object["geometries"] != nil else {
                throw Self.foreign
            }
            try add(object)
        }
        lineOfFeature = nil
    }

    /// Reads an array of features, one at a time.
    private mutating func readFeatures() throws {
        try json.openArray()
        while try json.nextElement() {
            let feature = try json.node()
            lineOfFeature = feature.line
            try add(feature)
            lineOfFeature = nil
        }
    }

    private static let foreign = TrackRefusal(reason: "this is no GeoJSON feature, nor a collection of features")

    // MARK: - Features

    /// Adds a feature, or a geometry without one.
    private mutating func add(_ feature: JSONNode) throws(TrackRefusal) {
        if feature["latitudeE7"] != nil { return try addRecord(feature) }
        guard let geometry = feature["geometry"] else { return try add(feature, nil) }
        if !geometry.isNull { try add(geometry, feature["properties"]) }
    }

    /// Adds a record of Google's location history.
    private mutating func addRecord(_ record: JSONNode) throws(TrackRefusal) {
        guard
            var point = draft.point(
                line: record.line, latitude: record.number("latitudeE7").map { $0 / 1e7 },
                longitude: record.number("longitudeE7").map { $0 / 1e7 })
        else { return }
        for (name, measurement) in [
            ("altitude", Measurement.altitude), ("accuracy", .horizontalAccuracy), ("velocity", .speed),
            ("heading", .course),
        ] {
            if let value = record[name], !value.isNull { draft.set(measurement, value.number, of: &point) }
        }
        if let time = record["timestamp"] ?? record["timestampMs"] { set(time, of: &point) }
        try draft.add(point)
    }

    private mutating func add(
        _ geometry: JSONNode, _ properties: JSONNode?, depth: Int = 0
    ) throws(TrackRefusal) {
        let coordinates = geometry["coordinates"]
        switch geometry["type"]?.string {
        case "Point": try addPoint(coordinates, geometry.line, properties)
        case "LineString": try addLine(coordinates?.array ?? [], properties, Self.times(properties))
        case "MultiPoint": try addLine(coordinates?.array ?? [], properties, Self.times(properties), isLine: false)
        case "MultiLineString":
            let lines = coordinates?.array ?? []
            var times = Self.times(properties)
            // Each line has a list of its times, or all have one.
            let isNested = times?.contains { $0.array != nil } ?? false
            for (index, line) in lines.enumerated() {
                let positions = line.array ?? []
                let own = isNested ? times.flatMap { index < $0.count ? $0[index].array : nil } : times
                if !isNested, index < lines.count - 1, let all = times, all.count >= positions.count {
                    try addLine(positions, properties, Array(all.prefix(positions.count)))
                    times = Array(all.dropFirst(positions.count))
                } else {
                    try addLine(positions, properties, own)
                }
            }
        case "GeometryCollection" where depth < Self.maximumDepth:
            for geometry in geometry["geometries"]?.array ?? [] { try add(geometry, properties, depth: depth + 1) }
        case "Polygon", "MultiPolygon": draft.leaveOut(line: geometry.line, "an area is no track")
        default: draft.leaveOut(line: geometry.line, "this is no geometry of GeoJSON")
        }
    }

    private mutating func addPoint(
        _ coordinates: JSONNode?, _ line: Int, _ properties: JSONNode?
    ) throws(TrackRefusal) {
        guard var point = point(coordinates, line) else { return }
        for measurement in Measurement.allCases {
            if let value = properties?[measurement.rawValue] ?? properties?[measurement.underscoredName], !value.isNull
            {
                draft.set(measurement, value.number ?? value.string.flatMap { DecimalNumber.value($0) }, of: &point)
            }
        }
        if let time = properties?["timestamp"] ?? properties?["time"], !time.isNull { set(time, of: &point) }
        if let source = properties?["sourceInformation"], case .boolean(true)? = source["isSimulated"]?.content {
            point.isSimulated = true
        }
        let texts = Self.texts(properties, color: "marker-color")
        if point.time == nil, texts.name != nil {
            // A named place that is not part of the track.
            return try draft.add(
                Track.Waypoint(
                    coordinate: point.coordinate, name: texts.name, details: texts.details, color: texts.color))
        }
        let segment = properties?["segment"]?.number
        if segment != self.segment { draft.endSegment(isLine: false) }
        self.segment = segment
        try draft.add(point)
    }

    private mutating func addLine(
        _ positions: [JSONNode], _ properties: JSONNode?, _ times: [JSONNode]?, isLine: Bool = true
    ) throws(TrackRefusal) {
        var times = times
        if let count = times?.count, count != positions.count {
            draft.leaveOut(
                line: lineOfFeature ?? json.line, "this line has \(positions.count) positions but \(count) times")
            times = nil
        }
        draft.endSegment(isLine: false)
        for (index, position) in positions.enumerated() {
            lineOfFeature = position.line
            guard var point = point(position, position.line) else { continue }
            if let time = times?[index], !time.isNull { set(time, of: &point) }
            try draft.add(point)
        }
        let texts = Self.texts(properties, color: "stroke")
        draft.endSegment(texts, isLine: isLine)
        draft.name = draft.name ?? texts.name
    }

    /// The texts of a feature, and its colour as simplestyle has it.
    private static func texts(_ properties: JSONNode?, color: String) -> TrackDraft.Texts {
        TrackDraft.Texts(
            name: properties?["name"]?.string ?? properties?["title"]?.string,
            details: properties?["description"]?.string ?? properties?["desc"]?.string,
            color: properties?[color]?.string)
    }

    /// The times of a line's positions, which programs write as different properties.
    private static func times(_ properties: JSONNode?) -> [JSONNode]? {
        let lists = [
            properties?["coordTimes"], properties?["coordinateProperties"]?["times"], properties?["times"],
            properties?["timestamps"], properties?["time"], properties?["timestamp"],
        ]
        return lists.lazy.compactMap { $0?.array }.first
    }

    /// Sets the time from text or from the seconds, or milliseconds, since 1970.
    private mutating func set(_ time: JSONNode, of point: inout Track.Point) {
        let text = time.string
        let number = time.number ?? text.flatMap { DecimalNumber.value($0) }
        draft.set(number.flatMap(Timestamp.init(sinceEpoch:)) ?? text.flatMap(Timestamp.init(dateTime:)), of: &point)
    }

    /// Reads a position: longitude, latitude and optionally the height above the ellipsoid. A fourth number is the time if
    /// it can be one, in seconds since 1970; `nil` without a valid position.
    private mutating func point(_ position: JSONNode?, _ line: Int) -> Track.Point? {
        let elements = position?.array ?? []
        // The optimizer of Swift 6.3 fails where elements are read one by one.
        let numbers = elements.prefix(4).map { $0.number ?? $0.string.flatMap { DecimalNumber.value($0) } }
        guard
            var point = draft.point(
                line: position?.line ?? line, latitude: numbers.count > 1 ? numbers[1] : nil,
                longitude: numbers.first ?? nil)
        else { return nil }
        if elements.count > 2, !elements[2].isNull { draft.set(.ellipsoidalAltitude, numbers[2], of: &point) }
        if numbers.count > 3, let time = numbers[3].flatMap(Timestamp.init(sinceEpoch:)) { point.time = time }
        return point
    }
}
