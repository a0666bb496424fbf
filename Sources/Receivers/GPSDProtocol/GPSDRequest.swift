import StrictJSON

/// A command that a client sends to gpsd: gpsd_json(5).
package enum GPSDRequest: Hashable, Sendable {
    case version
    case devices
    /// `?DEVICE;`, or with `true` one that would configure the receiver.
    case device(isChange: Bool)
    /// `?WATCH;`, or one that changes what the client receives.
    case watch(Watch?)
    case poll
    /// A WATCH with an argument that is not valid.
    case invalidWatch
    /// Text that is no command, from its `?` to the end of what has come with it.
    case unrecognized(String)
    /// A command of more than ``GPSDRequestParser/longest`` bytes.
    case tooLong
    /// A web page has a browser send this: it is HTTP.
    case foreign

    /// The members of a WATCH; `nil` for those that it leaves as they are.
    package struct Watch: Hashable, Sendable {
        package var isEnabled = true
        package var json, nmea: Bool?
        /// Members without effect, which are answered as they were set.
        package var scaled, split24: Bool?
        package var device: String?
    }
}

extension GPSDRequest.Watch {
    /// Reads the argument of a WATCH; `nil` if it is not JSON, or a member has another type. Unknown members do not count.
    init?(_ text: some Sequence<UInt8>) {
        guard let members = try? JSONOutline(Array(text)) else { return nil }
        var isValid = true
        func boolean(_ name: StaticString) -> Bool? {
            guard let value = members[name] else { return nil }
            if value.boolean == nil { isValid = false }
            return value.boolean
        }
        self.init(
            isEnabled: boolean("enable") ?? true, json: boolean("json"), nmea: boolean("nmea"),
            scaled: boolean("scaled"), split24: boolean("split24"), device: members["device"]?.string)
        guard isValid else { return nil }
    }
}

/// Cuts the commands out of what a client sends.
///
/// A command ends with its JSON object, with `;` or with the end of its line: some clients send no line end at all. Between
/// commands `;`, spaces and line ends are skipped; other text than `?` begins a line that is ignored, as gpsd ignores what is
/// meant for a receiver.
package struct GPSDRequestParser {
    /// The size limit of a command in bytes. gpsd's own documentation promises 80 characters.
    package static let longest = 512

    /// The received bytes that have not been taken yet.
    private var bytes: [UInt8] = []
    private var position = 0
    /// True while the rest of a line is ignored.
    private var isIgnoring = false
    /// The first bytes of the ignored line.
    private var ignored: [UInt8] = []

    package init() {}

    /// The number of bytes that have not been taken yet.
    package var byteCount: Int { bytes.count - position }

    /// Adds what a client has sent.
    package mutating func append(_ more: some Sequence<UInt8>) {
        if position > 0 {
            bytes.removeFirst(position)
            position = 0
        }
        bytes += more
    }

    /// Takes the next complete command; `nil` until more has come.
    package mutating func next() -> GPSDRequest? {
        while let byte = bytes[position...].first {
            if isIgnoring || !Self.isSeparator(byte) && byte != UInt8(ascii: "?") {
                if ignore() { return .foreign }
            } else if Self.isSeparator(byte) {
                position += 1
            } else {
                return take()
            }
        }
        return nil
    }

    /// Ignores the rest of a line, as far as it has come. Returns true if it was a line of HTTP.
    private mutating func ignore() -> Bool {
        let end = bytes[position...].firstIndex(where: Self.isLineEnd)
        ignored += bytes[position..<(end ?? bytes.endIndex)].prefix(Self.longest - ignored.count)
        position = end ?? bytes.endIndex
        isIgnoring = end == nil
        guard !isIgnoring else { return false }
        defer { ignored = [] }
        return Self.isHTTP(ignored)
    }

    /// True for the first line of a request of HTTP.
    private static func isHTTP(_ line: [UInt8]) -> Bool {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return words.count == 3 && words[2].starts(with: "HTTP/".utf8)
    }

    /// Takes the command that begins with `?` here.
    private mutating func take() -> GPSDRequest? {
        let rest = bytes[position...]
        let nameEnd = rest.dropFirst().firstIndex { !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard let nameEnd else { return wait() }
        guard nameEnd - position <= Self.longest else { return refuse() }
        let name = String(decoding: bytes[position + 1..<nameEnd], as: UTF8.self)
        let command = Self.commands[name]
        switch bytes[nameEnd] {
        case UInt8(ascii: "=") where command == .watch(nil) || command == .device(isChange: false):
            guard bytes.indices.contains(nameEnd + 1) else { return wait() }
            guard bytes[nameEnd + 1] == UInt8(ascii: "{") else { break }
            guard let end = Self.endOfObject(in: bytes, from: nameEnd + 1) else { return wait() }
            guard end - position <= Self.longest else { return refuse() }
            position = end
            if command != .watch(nil) { return .device(isChange: true) }
            // It is not valid if the line has ended first.
            return GPSDRequest.Watch(bytes[nameEnd + 1..<end]).map { .watch($0) } ?? .invalidWatch
        case let byte where Self.isSeparator(byte):
            guard let command else { break }
            position = nameEnd + 1
            return command
        default: break
        }
        defer { position = bytes.endIndex }
        return .unrecognized(String(decoding: rest.prefix { !Self.isLineEnd($0) }.prefix(80), as: UTF8.self))
    }

    private static let commands: [String: GPSDRequest] = [
        "VERSION": .version, "DEVICES": .devices, "DEVICE": .device(isChange: false), "WATCH": .watch(nil),
        "POLL": .poll,
    ]

    /// Waits for the rest of a command, unless it is too long already.
    private mutating func wait() -> GPSDRequest? { byteCount > Self.longest ? refuse() : nil }

    /// Ignores the rest of the line of a command that is too long.
    private mutating func refuse() -> GPSDRequest {
        let end = bytes[position...].firstIndex(where: Self.isLineEnd)
        position = end ?? bytes.endIndex
        isIgnoring = end == nil
        return .tooLong
    }

    /// The position after the object that begins at `start`, or at the end of its line; `nil` if more has to come.
    private static func endOfObject(in bytes: [UInt8], from start: Int) -> Int? {
        var (depth, isString, isEscaped) = (0, false, false)
        for index in start..<bytes.count {
            let byte = bytes[index]
            if isLineEnd(byte) { return index }
            if isString {
                isString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isString = true
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
        }
        return nil
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        isLineEnd(byte) || byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
}
