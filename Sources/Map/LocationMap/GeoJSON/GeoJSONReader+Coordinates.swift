import LocationModel
import StrictJSON

// Coordinates, which are nested arrays of numbers, and the scanner's values with errors of this reader.

extension GeoJSONReader {
    /// Reads a line of two or more positions.
    mutating func line(_ scanner: inout JSONScanner) throws(Flaw) -> [Coordinate] {
        let start = try start(of: &scanner)
        let line = try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.position(&scanner) }
        guard line.count >= 2 else { throw Flaw(reason: "a line has at least two positions", position: start) }
        return line
    }

    /// Reads a closed ring. Returns it without the repeated first position.
    mutating func ring(_ scanner: inout JSONScanner) throws(Flaw) -> [Coordinate] {
        let start = try start(of: &scanner)
        let ring = try list(&scanner) { (reader, scanner) throws(Flaw) in try reader.position(&scanner) }
        guard ring.count >= 4 else { throw Flaw(reason: "a ring has at least four positions", position: start) }
        guard ring.first == ring.last else {
            throw Flaw(reason: "a ring ends at the position where it begins", position: start)
        }
        return ring.dropLast()
    }

    /// Reads a position: longitude, latitude and possibly a height, which is ignored.
    mutating func position(_ scanner: inout JSONScanner) throws(Flaw) -> Coordinate {
        let start = try start(of: &scanner)
        var (count, longitude, latitude) = (0, 0.0, 0.0)
        try openArray(&scanner)
        while try nextElement(&scanner) {
            let number = try number(&scanner)
            if count == 0 { longitude = number } else if count == 1 { latitude = number }
            count += 1
        }
        guard count >= 2 else { throw Flaw(reason: "a position has a longitude and a latitude", position: start) }
        guard (-180...180).contains(longitude) else {
            throw Flaw(reason: "the longitude, the first number, is not from −180 to 180", position: start)
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            throw Flaw(reason: "the latitude, the second number, is not from −90 to 90", position: start)
        }
        return coordinate
    }

    /// Reads an array, each element with `read`.
    mutating func list<Value>(
        _ scanner: inout JSONScanner, _ read: (inout GeoJSONReader, inout JSONScanner) throws(Flaw) -> Value
    ) throws(Flaw) -> [Value] {
        var values: [Value] = []
        try openArray(&scanner)
        while try nextElement(&scanner) {
            path.append(.element(values.count))
            values.append(try read(&self, &scanner))
            path.removeLast()
        }
        return values
    }

    // MARK: Values

    func kind(_ scanner: inout JSONScanner) throws(Flaw) -> JSONScanner.Kind {
        do { return try scanner.kind } catch { throw Flaw(error, position: scanner.position) }
    }

    func skip(_ scanner: inout JSONScanner) throws(Flaw) -> Range<Int> {
        do { return try scanner.skip() } catch { throw Flaw(error, position: scanner.position) }
    }

    func string(_ scanner: inout JSONScanner) throws(Flaw) -> String {
        do { return try scanner.string() } catch { throw Flaw(error, position: scanner.position) }
    }

    /// Returns the position of the next value.
    private func start(of scanner: inout JSONScanner) throws(Flaw) -> Int {
        _ = try kind(&scanner)
        return scanner.position
    }

    private func openArray(_ scanner: inout JSONScanner) throws(Flaw) {
        guard try kind(&scanner) == .array else {
            throw Flaw(reason: "this is not an array", position: scanner.position)
        }
        do { try scanner.openArray() } catch { throw Flaw(error, position: scanner.position) }
    }

    private func nextElement(_ scanner: inout JSONScanner) throws(Flaw) -> Bool {
        do { return try scanner.nextElement() } catch { throw Flaw(error, position: scanner.position) }
    }

    private func number(_ scanner: inout JSONScanner) throws(Flaw) -> Double {
        guard try kind(&scanner) == .number else {
            throw Flaw(reason: "this is not a number", position: scanner.position)
        }
        let start = scanner.position
        do { return try scanner.number() } catch { throw Flaw(reason: "this number is too large", position: start) }
    }
}

extension GeoJSONReader.Flaw {
    init(_ flaw: JSONFlaw, position: Int) {
        let reason =
            switch flaw {
            case .malformed: "this is not JSON"
            case .cutShort: "the document ends here, within a value: it was cut short"
            case .tooDeep: "there are more than \(JSONScanner.maximumDepth) values within one another"
            case .repeatedName(let path): "the member \(path) appears twice in its object"
            }
        self.init(reason: reason, position: position)
    }
}
