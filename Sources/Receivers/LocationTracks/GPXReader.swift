import LocationModel
import XMLEvents

/// Reads the tracks, the routes and the waypoints of a GPX document.
struct GPXReader {
    /// The greatest depth of nested elements.
    static let maximumDepth = 64
    /// The longest text of a name or a number, in bytes. Longer names and descriptions, such as those of geocaches, are cut.
    private static let maximumText = 4096

    /// The meaning of an element for the track.
    private enum Place {
        case document, track, segment, point, extensions, garminPoint, waypoint
        case route, routePoint, routePointExtensions, garminRoutePoint
        case text(Field)
        /// Ignored, with everything inside.
        case skipped
    }

    /// A text that belongs to the track.
    private enum Field {
        case lineName, lineDetails, time, geoidHeight, source, waypointName, waypointDetails
        case measurement(Measurement)

        /// True for a text that people read.
        var isProse: Bool {
            switch self {
            case .lineName, .lineDetails, .waypointName, .waypointDetails: true
            case .time, .geoidHeight, .source, .measurement: false
            }
        }
    }

    private var draft = TrackDraft()
    private var open: [Place] = []
    private var prefixes = GPXPrefixes()
    /// The namespace of the document's own elements.
    private var namespace = GPXNamespace.none
    private var point: Track.Point?
    private var waypoint: Track.Waypoint?
    private var geoidHeight: Double?
    /// The texts of the current track or route.
    private var texts = TrackDraft.Texts()
    /// The number of the segments before the current track.
    private var firstSegment = 0
    private var text: [UInt8] = []
    private var line: Int

    static func read(_ content: TrackContent) throws(TrackError) -> Track {
        do throws(Failure) {
            return try read(content, encoding: nil)
        } catch {
            guard error.isOfAnotherEncoding else { throw error.error }
            // Programs for Windows write its encoding and declare UTF-8, or declare UTF-16 and write UTF-8.
            for encoding in ["UTF-8", "windows-1252"] {
                if let track = try? read(content, encoding: encoding) { return track }
            }
            throw error.error
        }
    }

    /// A failure, and if the reason may be the document's encoding.
    private struct Failure: Error {
        var error: TrackError
        var isOfAnotherEncoding = false
    }

    private static func read(_ content: TrackContent, encoding: String?) throws(Failure) -> Track {
        let beginning: TrackContent.Beginning
        do throws(TrackError) {
            beginning = try content.beginning()
        } catch {
            throw Failure(error: error)
        }
        var reader = GPXReader(line: beginning.line)
        var failure: TrackError?
        do throws(XMLFault) {
            try XMLEventParser.over(
                encoding: encoding ?? (beginning.isMarkedUTF8 ? "UTF-8" : nil),
                pieces: content.pieces(from: beginning.offset) { failure = $0 }
            ) { event, position in
                reader.line = beginning.line + position.line - 1
                do throws(TrackRefusal) {
                    // Whatever follows the document, such as null bytes, is of no interest.
                    return try reader.receive(event) && failure == nil
                } catch {
                    failure = TrackError(file: content.file, line: reader.line, reason: error.reason)
                    return false
                }
            }
        } catch {
            let reason =
                if content.count == 0 {
                    "the file is empty"
                } else if error.isCutShort {
                    "the file ends here, in the midst of its document: it was cut short"
                } else {
                    "this is not well-formed XML: \(error.reason)"
                }
            throw Failure(
                error: failure
                    ?? TrackError(file: content.file, line: beginning.line + error.line - 1, reason: reason),
                isOfAnotherEncoding: failure == nil && error.isOfAnotherEncoding)
        }
        do throws(TrackError) {
            if let failure { throw failure }
            return try reader.draft.finish(file: content.file)
        } catch {
            throw Failure(error: error)
        }
    }

    private init(line: Int) { self.line = line }

    /// Takes in an event. Returns false at the end of the document.
    private mutating func receive(_ event: XMLEvent) throws(TrackRefusal) -> Bool {
        switch event {
        case .start(let tag):
            guard open.count < Self.maximumDepth else {
                throw TrackRefusal(reason: "there are more than \(Self.maximumDepth) elements within one another")
            }
            prefixes.open(tag, depth: open.count)
            open.append(try place(tag))
        case .end:
            try end()
            prefixes.close(depth: open.count)
            return !open.isEmpty
        case .text(let bytes):
            guard case .text(let field) = open.last else { return true }
            // One byte more than a number may have shows that it is too long.
            text += bytes.prefix(Self.maximumText - text.count + (field.isProse ? 0 : 1))
        case .doctype:
            throw TrackRefusal(
                reason: "a DOCTYPE is refused: no GPX file needs one, and it could define entities without end")
        case .unknownEntity: throw TrackRefusal(reason: "an entity that is not known; write the text itself")
        case .comment, .encoding: break
        }
        return true
    }

    // MARK: - Elements

    private mutating func place(_ tag: XMLTag) throws(TrackRefusal) -> Place {
        if case .skipped = open.last { return .skipped }
        let (space, local) = prefixes.resolve(tag.name)
        guard let around = open.last else { return try root(space, local) }
        switch (around, space == namespace, local) {
        case (.document, true, "trk"):
            (texts, firstSegment) = (TrackDraft.Texts(), draft.segments.count)
            return .track
        case (.track, true, "name"), (.route, true, "name"): return begin(.lineName)
        case (.track, true, "desc"), (.track, true, "cmt"), (.route, true, "desc"), (.route, true, "cmt"):
            return texts.details == nil ? begin(.lineDetails) : .skipped
        case (.track, true, "trkseg"):
            draft.endSegment()
            return .segment
        case (.segment, true, "trkpt"):
            point = pointDraft(tag)
            return point == nil ? .skipped : .point
        case (.document, true, "rte"):
            draft.endSegment()
            texts = TrackDraft.Texts()
            return .route
        case (.route, true, "rtept"):
            point = pointDraft(tag)
            return .routePoint
        case (.document, true, "wpt"):
            waypoint = coordinate(tag).map { Track.Waypoint(coordinate: $0) }
            return waypoint == nil ? .skipped : .waypoint
        case (.waypoint, true, "name"): return begin(.waypointName)
        case (.waypoint, true, "desc") where waypoint?.details == nil,
            (.waypoint, true, "cmt") where waypoint?.details == nil:
            return begin(.waypointDetails)
        case (.point, true, "ele"), (.routePoint, true, "ele"): return begin(.measurement(.altitude))
        case (.point, true, "time"), (.routePoint, true, "time"): return begin(.time)
        case (.point, true, "geoidheight"): return begin(.geoidHeight)
        case (.point, true, "src"): return begin(.source)
        // GPX 1.0 only.
        case (.point, true, "speed"): return begin(.measurement(.speed))
        case (.point, true, "course"): return begin(.measurement(.course))
        case (.point, true, "extensions"): return .extensions
        case (.extensions, false, "TrackPointExtension") where space == .trackPoint: return .garminPoint
        case (.extensions, false, _) where space == .locationd:
            return Measurement(rawValue: local).map { begin(.measurement($0)) } ?? .skipped
        case (.garminPoint, false, "speed") where space == .trackPoint: return begin(.measurement(.speed))
        case (.garminPoint, false, "course") where space == .trackPoint: return begin(.measurement(.course))
        case (.routePoint, true, "extensions"): return .routePointExtensions
        case (.routePointExtensions, false, "RoutePointExtension") where space == .routePoint:
            return .garminRoutePoint
        case (.garminRoutePoint, false, "rpt") where space == .routePoint:
            // The way from this point of the route to the next.
            try endPoint()
            point = pointDraft(tag)
            try endPoint()
            return .skipped
        default: return .skipped
        }
    }

    private mutating func pointDraft(_ tag: XMLTag) -> Track.Point? {
        coordinate(tag).map { Track.Point($0, line: line) }
    }

    private mutating func coordinate(_ tag: XMLTag) -> Coordinate? {
        draft.coordinate(
            line: line, latitude: tag["lat"].flatMap { DecimalNumber.value($0) },
            longitude: tag["lon"].flatMap { DecimalNumber.value($0) })
    }

    /// A document without a namespace is accepted, because some loggers omit it.
    private mutating func root(_ space: GPXNamespace, _ local: String) throws(TrackRefusal) -> Place {
        guard local == "gpx", space == .none || space == .gpx else {
            throw TrackRefusal(
                reason: "a GPX file begins with <gpx xmlns=\"\(GPXNamespace.version1_1)\">, and this one does not")
        }
        namespace = space
        return .document
    }

    private mutating func begin(_ field: Field) -> Place {
        text.removeAll(keepingCapacity: true)
        return .text(field)
    }

    private mutating func end() throws(TrackRefusal) {
        switch open.popLast() {
        case .segment: draft.endSegment()
        case .point, .routePoint: try endPoint()
        case .track: draft.describeSegments(from: firstSegment, texts)
        case .route: draft.endRoute(texts)
        case .waypoint:
            if let waypoint { try draft.add(waypoint) }
            waypoint = nil
        case .text(let field): set(field, Self.string(text))
        default: break
        }
    }

    /// The text without a character that was cut in two.
    private static func string(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.count == maximumText && text.last == "\u{FFFD}" ? String(text.dropLast()) : text
    }

    private mutating func set(_ field: Field, _ text: String) {
        switch field {
        case .lineName:
            texts.name = text.trimmed.isEmpty ? nil : String(text.trimmed)
            if case .track = open.last { draft.name = draft.name ?? texts.name }
        case .lineDetails: texts.details = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .waypointName: waypoint?.name = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .waypointDetails: waypoint?.details = text.trimmed.isEmpty ? nil : String(text.trimmed)
        case .time: withPoint { $0.set(Timestamp(dateTime: text), of: &$1, line: $2) }
        case .source: if text.trimmed == GPXWriter.simulated { point?.isSimulated = true }
        case .measurement(let measurement):
            withPoint { $0.set(measurement, DecimalNumber.value(text), of: &$1, line: $2) }
        case .geoidHeight:
            geoidHeight = DecimalNumber.value(text)
            if geoidHeight == nil {
                draft.leaveOut(line: line, "the height of the geoid at this point is no number")
            }
        }
    }

    private mutating func withPoint(_ change: (inout TrackDraft, inout Track.Point, _ line: Int) -> Void) {
        guard var point else { return }
        self.point = nil
        change(&draft, &point, line)
        self.point = point
    }

    private mutating func endPoint() throws(TrackRefusal) {
        guard var point else { return }
        if let altitude = point.altitude, let geoidHeight {
            draft.set(.ellipsoidalAltitude, altitude + geoidHeight, of: &point)
        }
        try draft.add(point)
        self.point = nil
        geoidHeight = nil
    }
}
