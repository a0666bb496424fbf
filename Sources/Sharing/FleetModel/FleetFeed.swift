/// What the program that reads a broker passes on to the one that shows its vehicles, through a pipe.
///
/// In bytes each has four with the number of those that follow, little-endian, then one for its kind. Both ends are programs of this
/// project; the messages inside are as others have written them.
package enum FleetFeed: Hashable, Sendable {
    /// A message that the broker has delivered. `expiry` is in seconds; `nil` if the broker keeps it.
    case message(topic: String, payload: [UInt8], isRetained: Bool, expiry: UInt32?)
    /// The broker is read from now on.
    case connected
    /// The broker is not read now, with a sentence that says why. It is tried again.
    case interrupted(String)

    /// The longest one, in bytes: a message with the longest content and the longest topic of MQTT.
    package static let longest = FleetMessage.longest + (1 << 16) + 64

    private static let none = UInt32.max

    private enum Kind: UInt8 { case message, retained, connected, interrupted }

    /// Appends its bytes.
    package func append(to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes += [0, 0, 0, 0]
        switch self {
        case .message(let topic, let payload, let isRetained, let expiry):
            bytes.append((isRetained ? Kind.retained : .message).rawValue)
            Self.append(expiry ?? Self.none, to: &bytes)
            Self.append(UInt32(topic.utf8.count), to: &bytes)
            bytes += topic.utf8
            bytes += payload
        case .connected: bytes.append(Kind.connected.rawValue)
        case .interrupted(let words):
            bytes.append(Kind.interrupted.rawValue)
            bytes += words.utf8
        }
        let size = UInt32(bytes.count - start - 4)
        for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(index))) }
    }

    private static func append(_ number: UInt32, to bytes: inout [UInt8]) {
        for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(index)))) }
    }

    /// Reads the bytes after the size; `nil` for others.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let kind = bytes.first.flatMap(Kind.init) else { return nil }
        let rest = bytes.dropFirst()
        switch kind {
        case .connected: self = .connected
        case .interrupted: self = .interrupted(String(decoding: rest, as: UTF8.self))
        case .message, .retained:
            guard rest.count >= 8 else { return nil }
            let (expiry, size) = (rest.number(at: 0), Int(rest.number(at: 4)))
            let content = rest.dropFirst(8)
            guard content.count >= size else { return nil }
            self = .message(
                topic: String(decoding: content.prefix(size), as: UTF8.self), payload: Array(content.dropFirst(size)),
                isRetained: kind == .retained, expiry: expiry == Self.none ? nil : expiry)
        }
    }

    /// Puts pieces of any size together again.
    package struct Decoder: Sendable {
        /// An error: the bytes are not those of a feed.
        package struct Corrupt: Error, Hashable { package init() {} }

        private var waiting: [UInt8] = []

        package init() {}

        /// Takes the next bytes, and returns the messages that they complete.
        package mutating func take(_ bytes: ArraySlice<UInt8>) throws(Corrupt) -> [FleetFeed] {
            waiting += bytes
            var (start, complete): (Int, [FleetFeed]) = (0, [])
            while waiting.count - start >= 4 {
                let size = Int(waiting[start...].number(at: 0))
                guard (1...FleetFeed.longest).contains(size) else { throw Corrupt() }
                guard waiting.count - start - 4 >= size else { break }
                guard let next = FleetFeed(waiting[(start + 4)..<(start + 4 + size)]) else { throw Corrupt() }
                complete.append(next)
                start += 4 + size
            }
            waiting.removeFirst(start)
            return complete
        }
    }
}

extension ArraySlice<UInt8> {
    /// The little-endian number of four bytes at a distance from the start.
    fileprivate func number(at offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(self[startIndex + offset + $1]) << (8 * UInt32($1)) }
    }
}
