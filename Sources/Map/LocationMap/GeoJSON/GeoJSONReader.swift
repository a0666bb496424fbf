import FoundationEssentials
import LocationModel
import StrictJSON

/// Reads a GeoJSON document (RFC 7946) as values. Its syntax is checked first; then each level of objects is scanned for its
/// members, which may come in any order.
struct GeoJSONReader {
    /// A geometry that is not empty. Rings are without the repeated first position.
    enum Geometry: Hashable, Sendable {
        case points([Coordinate])
        case line([Coordinate])
        case lines([[Coordinate]])
        case area([[Coordinate]])
        case areas([[[Coordinate]]])
    }

    struct Feature: Hashable, Sendable {
        var identifier: String?
        var properties: Data?
        var geometry: [Geometry] = []
    }

    enum Document: Hashable, Sendable {
        case features([Feature])
        case geometry([Geometry])
    }

    /// The reason for refusing the value at a position of the document.
    struct Flaw: Error {
        var reason: String
        var position: Int
    }

    /// An object with the positions of its members.
    private struct Object {
        let position: Int
        let type: String
        let members: [String: Range<Int>]
    }

    /// The greatest depth of geometry collections within one another, which RFC 7946 advises against.
    private static let maximumDepth = 8

    private let bytes: [UInt8]
    /// The names and indexes on the way to the current value.
    var path: [PathElement] = []

    enum PathElement {
        case member(StaticString)
        case element(Int)
    }

    static func read(_ data: Data) throws(GeoJSONError) -> Document {
        guard data.count <= GeoJSONDecoder.maximumSize else {
            let limit = GeoJSONDecoder.maximumSize >> 20
            throw GeoJSONError(line: 1, path: "", reason: "the document is larger than \(limit) MiB")
        }
        var reader = GeoJSONReader(bytes: Array(data))
        do {
            return try reader.document()
        } catch {
            let line = 1 + reader.bytes[..<error.position].count { $0 == UInt8(ascii: "\n") }
            throw GeoJSONError(line: line, path: reader.pathText, reason: error.reason)
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var pathText: String {
        let text = path.map { element in
            switch element {
            case .member(let name): ".\(name)"
            case .element(let index): "[\(index)]"
            }
        }.joined()
        return text.hasPrefix(".") ? String(text.dropFirst()) : text
    }

    // MARK: Documents and features

    private mutating func document() throws(Flaw) -> Document {
        let hasMark = bytes.starts(with: [0xef, 0xbb, 0xbf])
        var scanner = JSONScanner(bytes, in: (hasMark ? 3 : 0)..<bytes.count)
        let whole = try skip(&scanner)
        guard scanner.isAtEnd else { throw Flaw(reason: "more text follows the document", position: scanner.position) }
        let root = try object(whole)
        try checkReferenceSystem(of: root)
        switch root.type {
        case "FeatureCollection":
            return .features(
                try elements(of: root, "features") { (reader, range) throws(Flaw) in
                    let object = try reader.object(range)
                    guard object.type == "Feature" else {
                        throw Flaw(
                            reason: "the type of an element of a collection is Feature", position: object.position)
                    }
                    return try reader.feature(object)
                })
        case "Feature": return .features([try feature(root)])
        default: return .geometry(try geometry(root, depth: 0))
        }
    }

    private mutating func feature(_ object: Object) throws(Flaw) -> Feature {
        var feature = Feature()
        guard let geometry = object.members["geometry"] else {
            throw Flaw(reason: "a feature has a geometry, which may be null", position: object.position)
        }
        if !isNull(geometry) {
            path.append(.member("geometry"))
            feature.geometry = try self.geometry(try self.object(geometry), depth: 0)
            path.removeLast()
        }
        if let properties = object.members["properties"], !isNull(properties) {
            guard bytes[properties.lowerBound] == UInt8(ascii: "{") else {
                path.append(.member("properties"))
                throw Flaw(reason: "properties are an object or null", position: properties.lowerBound)
            }
            feature.properties = Data(bytes[properties])
        }
        if let id = object.members["id"] { feature.identifier = try identifier(id) }
        return feature
    }

    private mutating func identifier(_ range: Range<Int>) throws(Flaw) -> String {
        var scanner = JSONScanner(bytes, in: range)
        switch try kind(&scanner) {
        case .string: return try string(&scanner)
        case .number: return String(decoding: bytes[range], as: UTF8.self)
        default:
            path.append(.member("id"))
            throw Flaw(reason: "an id is text or a number", position: range.lowerBound)
        }
    }

    /// GeoJSON of before 2016 may be in another reference system, whose coordinates would be misread.
    private mutating func checkReferenceSystem(of root: Object) throws(Flaw) {
        guard let range = root.members["crs"], !isNull(range) else { return }
        let text = String(decoding: bytes[range], as: UTF8.self)
        guard ["CRS84", "EPSG:4326", "EPSG::4326"].contains(where: { text.contains("\($0)\"") }) else {
            path.append(.member("crs"))
            throw Flaw(
                reason:
                    "positions are in degrees of WGS 84; convert the document, for example with ogr2ogr -t_srs EPSG:4326",
                position: range.lowerBound)
        }
    }

    // MARK: Geometries

    private mutating func geometry(_ object: Object, depth: Int) throws(Flaw) -> [Geometry] {
        guard object.type == "GeometryCollection" else { return try simpleGeometry(object).map { [$0] } ?? [] }
        guard depth < Self.maximumDepth else {
            throw Flaw(
                reason: "there are more than \(Self.maximumDepth) geometry collections within one another",
                position: object.position)
        }
        return try elements(of: object, "geometries") { (reader, range) throws(Flaw) in
            try reader.geometry(try reader.object(range), depth: depth + 1)
        }.flatMap(\.self)
    }

    /// Returns a geometry with coordinates; `nil` if they are empty.
    private mutating func simpleGeometry(_ object: Object) throws(Flaw) -> Geometry? {
        guard ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"].contains(object.type)
        else {
            throw Flaw(
                reason: "the type is none of Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon, "
                    + "GeometryCollection, Feature and FeatureCollection, or has no place here",
                position: object.position)
        }
        let range = try member("coordinates", of: object)
        if isEmptyArray(range) { return nil }
        var scanner = JSONScanner(bytes, in: range)
        path.append(.member("coordinates"))
        let geometry = try coordinates(&scanner, of: object.type)
        path.removeLast()
        return geometry
    }

    private mutating func coordinates(_ scanner: inout JSONScanner, of type: String) throws(Flaw) -> Geometry? {
        switch type {
        case "Point": return .points([try position(&scanner)])
        case "MultiPoint":
            return .points(try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.position(&scanner) })
        case "LineString": return .line(try line(&scanner))
        case "MultiLineString":
            return .lines(try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.line(&scanner) })
        case "Polygon": return .area(try area(&scanner))
        default:
            let areas = try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.area(&scanner) }
            return areas.allSatisfy(\.isEmpty) ? nil : .areas(areas.filter { !$0.isEmpty })
        }
    }

    private mutating func area(_ scanner: inout JSONScanner) throws(Flaw) -> [[Coordinate]] {
        try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.ring(&scanner) }
    }

    /// True for an array without elements.
    private func isEmptyArray(_ range: Range<Int>) -> Bool {
        bytes[range.lowerBound] == UInt8(ascii: "[")
            && bytes[range].dropFirst().first { $0 > 0x20 } == UInt8(ascii: "]")
    }

    // MARK: Values

    private func isNull(_ range: Range<Int>) -> Bool { bytes[range.lowerBound] == UInt8(ascii: "n") }

    private mutating func object(_ range: Range<Int>) throws(Flaw) -> Object {
        guard bytes[range.lowerBound] == UInt8(ascii: "{") else {
            throw Flaw(reason: "this is not an object", position: range.lowerBound)
        }
        var scanner = JSONScanner(bytes, in: range)
        var members: [String: Range<Int>] = [:]
        do {
            try scanner.openObject()
            while let name = try scanner.nextMember() { members[name] = try scanner.skip() }
        } catch {
            throw Flaw(error, position: scanner.position)
        }
        guard let type = members["type"], bytes[type.lowerBound] == UInt8(ascii: "\"") else {
            throw Flaw(reason: "this has no type", position: range.lowerBound)
        }
        var word = JSONScanner(bytes, in: type)
        return Object(position: range.lowerBound, type: try string(&word), members: members)
    }

    private func member(_ name: StaticString, of object: Object) throws(Flaw) -> Range<Int> {
        guard let range = object.members["\(name)"] else {
            throw Flaw(reason: "the member \(name) is missing", position: object.position)
        }
        return range
    }

    private mutating func elements<Value>(
        of object: Object, _ name: StaticString, _ read: (inout GeoJSONReader, Range<Int>) throws(Flaw) -> Value
    ) throws(Flaw) -> [Value] {
        var scanner = JSONScanner(bytes, in: try member(name, of: object))
        path.append(.member(name))
        let values = try list(&scanner) { (reader, scanner) throws(Flaw) in try read(&reader, try reader.skip(&scanner))
        }
        path.removeLast()
        return values
    }
}
