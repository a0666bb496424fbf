import LocationModel
import XMLEvents

/// Reads the tracks of a GPX document.
struct GPXReader {
    /// The greatest depth of nested elements.
    static let maximumDepth = 64
    /// The longest text of a name or a number, in bytes. Longer names and descriptions, such as those of geocaches, are cut.
    private static let maximumText = 4096

    /// The meaning of an element for the track.
    private enum Place {
        case document, track, segment, point, extensions, garminPoint, waypoint
        case text(Field)
        /// Ignored, with everything inside.
        case skipped
    }

    /// A text that belongs to the track.
    private enum Field {
        case trackName, time, geoidHeight, source, waypointName, waypointDetails
        case measurement(Measurement)

        /// True for a text that people read.
        var isProse: Bool {
            switch self {
            case .trackName, .waypointName, .waypointDetails: true
            case .time, .geoidHeight, .source, .measurement: false
            }
        }
    }

    private var draft = TrackDraft()
    private var open: [Place] = []
    private var namespace: String?
    private var point: PointDraft?
    private var waypoint: Track.Waypoint?
    private var geoidHeight: Double?
    private var text: [UInt8] = []
    private var line = 1

    static func read(_ bytes: [UInt8], file: String) throws(TrackError) -> Track {
        var reader = GPXReader()
        var failure: TrackError?
        do throws(XMLFault) {
            try XMLEventParser.over(bytes, resolvingNamespaces: true) { event, position in
                reader.line = position.line
                do throws(TrackRefusal) {
                    try reader.receive(event)
                } catch {
                    failure = TrackError(file: file, line: position.line, reason: error.reason)
                }
                return failure == nil
            }
        } catch {
            let reason =
                if bytes.isEmpty {
                    "the file is empty"
                } else if error.isCutShort {
                    "the file ends here, in the midst of its document: it was cut short"
                } else {
                    "this is not well-formed XML: \(error.reason)"
                }
            throw TrackError(file: file, line: error.line, reason: reason)
        }
        if let failure { throw failure }
        return reader.draft.track
    }

    private init() {}

    private mutating func receive(_ event: XMLEvent) throws(TrackRefusal) {
        switch event {
        case .start(let name, let attributes):
            guard open.count < Self.maximumDepth else {
                throw TrackRefusal(reason: "there are more than \(Self.maximumDepth) elements within one another")
            }
            open.append(try place(name, attributes))
        case .end: try end()
        case .text(let bytes):
            guard case .text(let field) = open.last else { return }
            let room = Self.maximumText - text.count
            guard bytes.count <= room || field.isProse else {
                throw TrackRefusal(reason: "this text is longer than \(Self.maximumText) bytes")
            }
            text += bytes.prefix(room)
        case .doctype:
            throw TrackRefusal(
                reason: "a DOCTYPE is refused: no GPX file needs one, and it could define entities without end")
        case .unknownEntity: throw TrackRefusal(reason: "an entity that is not known; write the text itself")
        case .comment, .encoding: break
        }
    }

    // MARK: - Elements

    private mutating func place(_ name: XMLName, _ attributes: [String: String]) throws(TrackRefusal) -> Place {
        guard let around = open.last else { return try root(name) }
        switch (around, name.namespace == namespace, name.local) {
        case (.document, true, "trk"): return .track
        case (.track, true, "name") where draft.name == nil: return begin(.trackName)
        case (.track, true, "trkseg"):
            draft.endSegment()
            return .segment
        case (.segment, true, "trkpt"):
            point = try pointDraft(attributes)
            return .point
        case (.document, true, "wpt"):
            waypoint = Track.Waypoint(coordinate: try pointDraft(attributes).location.coordinate)
            return .waypoint
        case (.waypoint, true, "name"): return begin(.waypointName)
        case (.waypoint, true, "desc") where waypoint?.details == nil,
            (.waypoint, true, "cmt") where waypoint?.details == nil:
            return begin(.waypointDetails)
        case (.point, true, "ele"): return begin(.measurement(.altitude))
        case (.point, true, "time"): return begin(.time)
        case (.point, true, "geoidheight"): return begin(.geoidHeight)
        case (.point, true, "src"): return begin(.source)
        // GPX 1.0 only.
        case (.point, true, "speed"): return begin(.measurement(.speed))
        case (.point, true, "course"): return begin(.measurement(.course))
        case (.point, true, "extensions"): return .extensions
        case (.extensions, false, "TrackPointExtension") where name.namespace == GPXNamespace.garmin:
            return .garminPoint
        case (.extensions, false, _) where name.namespace == GPXNamespace.own:
            return Measurement(rawValue: name.local).map { begin(.measurement($0)) } ?? .skipped
        case (.garminPoint, false, "speed") where name.namespace == GPXNamespace.garmin:
            return begin(.measurement(.speed))
        case (.garminPoint, false, "course") where name.namespace == GPXNamespace.garmin:
            return begin(.measurement(.course))
        default: return .skipped
        }
    }

    private func pointDraft(_ attributes: [String: String]) throws(TrackRefusal) -> PointDraft {
        try PointDraft(
            line: line, latitude: attributes["lat"].flatMap { DecimalNumber.value($0) },
            longitude: attributes["lon"].flatMap { DecimalNumber.value($0) })
    }

    /// A document without a namespace is accepted, because some loggers omit it.
    private mutating func root(_ name: XMLName) throws(TrackRefusal) -> Place {
        guard name.local == "gpx", [nil, GPXNamespace.version1_0, GPXNamespace.version1_1].contains(name.namespace)
        else {
            throw TrackRefusal(
                reason: "a GPX file begins with <gpx xmlns=\"\(GPXNamespace.version1_1)\">, and this one does not")
        }
        namespace = name.namespace
        return .document
    }

    private mutating func begin(_ field: Field) -> Place {
        text.removeAll(keepingCapacity: true)
        return .text(field)
    }

    private mutating func end() throws(TrackRefusal) {
        switch open.popLast() {
        case .segment: draft.endSegment()
        case .point: try endPoint()
        case .waypoint:
            if let waypoint { try draft.add(waypoint) }
            waypoint = nil
        case .text(let field): try set(field, Self.string(text))
        default: break
        }
    }

    /// The text without a character that was cut in two.
    private static func string(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.count == maximumText && text.last == "\u{FFFD}" ? String(text.dropLast()) : text
    }

    private mutating func set(_ field: Field, _ text: String) throws(TrackRefusal) {
        switch field {
        case .trackName: draft.name = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .waypointName: waypoint?.name = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .waypointDetails: waypoint?.details = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .time: try point?.setTime(text)
        case .source: if text.trimmed == GPXWriter.simulated { point?.setSimulated() }
        case .measurement(let measurement): try point?.set(measurement, DecimalNumber.value(text))
        case .geoidHeight:
            guard let height = DecimalNumber.value(text) else {
                throw TrackRefusal(reason: "the height of the geoid at this point is no number")
            }
            geoidHeight = height
        }
    }

    private mutating func endPoint() throws(TrackRefusal) {
        guard var point else { return }
        if let altitude = point.location.altitude, let geoidHeight {
            try point.set(.ellipsoidalAltitude, altitude + geoidHeight)
        }
        try draft.add(point)
        self.point = nil
        geoidHeight = nil
    }
}
