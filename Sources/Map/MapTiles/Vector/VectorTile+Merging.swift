extension VectorTile {
    /// Returns one compressed tile made of several of the same place. Layers of the same name are merged; of equal
    /// features the first one is kept.
    static func merging(_ tiles: [VectorTile]) -> [UInt8] {
        var layers: [(name: String, draft: LayerDraft)] = []
        for layer in tiles.flatMap(\.layers) {
            // Layers with another extent cannot be merged; the first one is kept.
            if let index = layers.firstIndex(where: { $0.name == layer.name }) {
                if layers[index].draft.extent == layer.extent { layers[index].draft.add(layer) }
            } else {
                layers.append((layer.name, LayerDraft(layer)))
            }
        }
        var writer = ProtobufWriter()
        for (name, draft) in layers { writer.put(3, .bytes(draft.encoded(name)[...])) }
        return Gzip.compress(writer.bytes)
    }

    private struct LayerDraft {
        let extent: UInt64
        private let version: UInt64
        private var features: [(feature: Feature, tags: [UInt64])] = []
        private var keys = Table()
        private var values = Table()
        private var identities: Set<Identity> = []

        /// The layers with areas of the coast, whose ids differ between regions.
        private static let madeUp = ["land", "water"]

        /// The identity of a feature. Several features of a layer may share an id, as parts of a whole.
        private struct Identity: Hashable {
            let id: UInt64
            let kind: Feature.Kind
        }

        init(_ layer: Layer) {
            extent = layer.extent
            version = layer.version
            add(layer)
        }

        mutating func add(_ layer: Layer) {
            let keyNumbers = layer.keys.map { keys.number(of: $0) }
            let valueNumbers = layer.values.map { values.number(of: $0) }
            let known = identities
            for feature in layer.features {
                if let id = feature.id, id != 0, !Self.madeUp.contains(layer.name) {
                    let identity = Identity(id: id, kind: feature.kind)
                    guard !known.contains(identity) else { continue }
                    identities.insert(identity)
                }
                var tags: [UInt64] = []
                for index in stride(from: 0, to: feature.tags.count - 1, by: 2) {
                    let (key, value) = (feature.tags[index], feature.tags[index + 1])
                    guard key < UInt64(keyNumbers.count), value < UInt64(valueNumbers.count) else { continue }
                    tags += [keyNumbers[Int(key)], valueNumbers[Int(value)]]
                }
                features.append((feature, tags))
            }
        }

        func encoded(_ name: String) -> [UInt8] {
            var writer = ProtobufWriter()
            writer.put(15, .varint(version))
            writer.put(1, .bytes(Array(name.utf8)[...]))
            for (feature, tags) in features {
                var inner = ProtobufWriter()
                if let id = feature.id { inner.put(1, .varint(id)) }
                inner.put(2, packed: tags)
                inner.put(3, .varint(feature.kind.rawValue))
                inner.put(4, .bytes(feature.geometry))
                writer.put(2, .bytes(inner.bytes[...]))
            }
            for key in keys.entries { writer.put(3, .bytes(key)) }
            for value in values.entries { writer.put(4, .bytes(value)) }
            writer.put(5, .varint(extent))
            return writer.bytes
        }
    }

    /// A table that numbers entries in the order of their addition.
    private struct Table {
        private(set) var entries: [ArraySlice<UInt8>] = []
        private var numbers: [ArraySlice<UInt8>: UInt64] = [:]

        mutating func number(of entry: ArraySlice<UInt8>) -> UInt64 {
            if let number = numbers[entry] { return number }
            let number = UInt64(entries.count)
            numbers[entry] = number
            entries.append(entry)
            return number
        }
    }
}
