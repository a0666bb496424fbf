/// A Mapbox vector tile (version 2.1, <https://github.com/mapbox/vector-tile-spec>): layers of features, which are
/// decoded on demand.
package struct VectorTile: Sendable {
    /// An error: the bytes are not a vector tile.
    package struct Damaged: Error, Hashable {}

    /// The greatest size of a decompressed tile, in bytes.
    package static let limit = 16 << 20
    /// The greatest number of layers; usual tiles have twenty.
    static let maximumLayers = 256
    /// The greatest number of features, keys and values together, each of which takes far more memory than its bytes.
    static let maximumParts = 1 << 19

    /// The layers, in the order of the tile.
    package let layers: [Layer]

    /// Reads a tile, compressed with gzip or not.
    package init(_ bytes: [UInt8]) throws(Damaged) {
        do {
            let plain = Gzip.isCompressed(bytes) ? try Gzip.expand(bytes, limit: Self.limit) : bytes
            var reader = ProtobufReader(plain[...])
            var layers: [Layer] = []
            var room = Self.maximumParts
            while let (field, value) = try reader.next() {
                guard field == 3, case .bytes(let bytes) = value else { continue }
                guard layers.count < Self.maximumLayers else { throw Damaged() }
                layers.append(try Layer(bytes, room: &room))
            }
            self.layers = layers
        } catch {
            throw Damaged()
        }
    }

    /// Returns the layer with a name; `nil` if there is none.
    package func layer(_ name: String) -> Layer? { layers.first { $0.name == name } }
}

extension VectorTile {
    /// A layer: features, with the keys and values of their attributes.
    package struct Layer: Sendable {
        package private(set) var name = ""
        /// The width and height of the tile, in the units of its geometry.
        package private(set) var extent: UInt64 = 4096
        private(set) var version: UInt64 = 1
        private(set) var keys: [ArraySlice<UInt8>] = []
        private(set) var values: [ArraySlice<UInt8>] = []
        private(set) var features: [Feature] = []

        /// Reads a layer.
        ///
        /// - Parameter room: The number of features, keys and values that the tile may still have.
        init(_ bytes: ArraySlice<UInt8>, room: inout Int) throws(Damaged) {
            var reader = ProtobufReader(bytes)
            while let (field, value) = try reader.next() {
                if (2...4).contains(field) { room -= 1 }
                guard room >= 0 else { throw .init() }
                switch (field, value) {
                case (1, .bytes(let bytes)): name = String(decoding: bytes, as: UTF8.self)
                case (2, .bytes(let bytes)): features.append(try Feature(bytes))
                case (3, .bytes(let bytes)): keys.append(bytes)
                case (4, .bytes(let bytes)): values.append(bytes)
                case (5, .varint(let number)): extent = number
                case (15, .varint(let number)): version = number
                default: break
                }
            }
            guard (1...1 << 20).contains(extent) else { throw .init() }
        }

        /// Returns the lines of the features, including the rings of areas, each with its class.
        package func lines() throws(Damaged) -> [Line] {
            let classes = try texts(of: "class")
            var lines: [Line] = []
            for feature in features where feature.kind == .line || feature.kind == .area {
                let name = feature.value(ofKeys: classes.keys).flatMap { classes.texts[$0] }
                lines += try feature.paths().map { Line(points: $0, isRing: feature.kind == .area, class: name) }
            }
            return lines
        }

        /// Returns the texts among the values of a key.
        private func texts(of key: String) throws(Damaged) -> (keys: Set<UInt64>, texts: [UInt64: String]) {
            let name = Array(key.utf8)
            let keys = self.keys.indices.filter { self.keys[$0].elementsEqual(name) }.map { UInt64($0) }
            guard !keys.isEmpty else { return ([], [:]) }
            var texts: [UInt64: String] = [:]
            for (index, bytes) in values.enumerated() {
                var reader = ProtobufReader(bytes)
                if case (1, .bytes(let text))? = try reader.next() {
                    texts[UInt64(index)] = String(decoding: text, as: UTF8.self)
                }
            }
            return (Set(keys), texts)
        }
    }

    /// A line, in units from the upper left corner of the tile; it may extend beyond the tile.
    package struct Line: Hashable, Sendable {
        package var points: [SIMD2<Int32>]
        /// True if the line is a ring: its last point is joined to the first.
        package var isRing: Bool
        /// The feature's attribute `class`; `nil` if it has none.
        package var `class`: String?
    }

    struct Feature: Sendable {
        enum Kind: UInt64 { case unknown, point, line, area }

        private(set) var id: UInt64?
        private(set) var kind = Kind.unknown
        /// The numbers of keys and values, alternating.
        private(set) var tags: [UInt64] = []
        private(set) var geometry: ArraySlice<UInt8> = []

        init(_ bytes: ArraySlice<UInt8>) throws(Damaged) {
            var reader = ProtobufReader(bytes)
            while let (field, value) = try reader.next() {
                switch (field, value) {
                case (1, .varint(let number)): id = number
                case (2, .bytes(let bytes)): tags = try ProtobufReader.packed(bytes)
                case (3, .varint(let number)): kind = Kind(rawValue: number) ?? .unknown
                case (4, .bytes(let bytes)): geometry = bytes
                default: break
                }
            }
        }

        func value(ofKeys keys: Set<UInt64>) -> UInt64? {
            stride(from: 0, to: tags.count - 1, by: 2).first { keys.contains(tags[$0]) }.map { tags[$0 + 1] }
        }

        /// Returns the lines of the geometry: commands with a number of repetitions each (section 4.3).
        func paths() throws(Damaged) -> [[SIMD2<Int32>]] {
            let numbers = try ProtobufReader.packed(geometry)
            var paths: [[SIMD2<Int32>]] = []
            var point = SIMD2<Int32>()
            var index = 0
            while index < numbers.count {
                let (command, count) = (numbers[index] & 7, numbers[index] >> 3)
                index += 1
                switch command {
                case 1, 2:
                    guard count <= UInt64(numbers.count - index) / 2, command == 1 || !paths.isEmpty else {
                        throw .init()
                    }
                    for _ in 0..<count {
                        point &+= SIMD2(Self.signed(numbers[index]), Self.signed(numbers[index + 1]))
                        index += 2
                        if command == 1 { paths.append([point]) } else { paths[paths.count - 1].append(point) }
                    }
                case 7: break
                default: throw .init()
                }
            }
            return paths
        }

        /// Returns the number of a zigzag code, in which small numbers of either sign are short: 0, -1, 1, -2.
        private static func signed(_ number: UInt64) -> Int32 {
            let bits = UInt32(truncatingIfNeeded: number)
            return Int32(bitPattern: bits >> 1) ^ -Int32(bitPattern: bits & 1)
        }
    }
}
