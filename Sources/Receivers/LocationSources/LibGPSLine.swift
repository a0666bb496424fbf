import GPSDProtocol
import CGPS

/// A line for libgps: one flat object that begins with its class. Its memory is reused from line to line.
struct LibGPSLine {
    private var text: [UInt8] = []

    mutating func write(_ position: GPSDLine.Position) {
        begin("TPV")
        add("device", position.device)
        add("time", position.time)
        add("mode", position.mode)
        add("status", position.status)
        for (name, value) in GPSDLine.Position.numbers { add(name, position[keyPath: value]) }
        end()
    }

    mutating func write(_ sky: GPSDLine.Sky) {
        begin("SKY")
        add("device", sky.device)
        if let satellites = sky.satellites {
            put(#","satellites":["#)
            // libgps treats more satellites than it has room for as an error.
            for (index, satellite) in satellites.prefix(Int(MAXCHANNELS)).enumerated() {
                if index > 0 { put(",") }
                put(#"{"PRN":"#)
                text += satellite.number.description.utf8
                put(satellite.isUsed ? #","used":true}"# : #","used":false}"#)
            }
            put("]")
        }
        end()
    }

    mutating func write(_ attitude: GPSDLine.Attitude) {
        begin("ATT")
        add("device", attitude.device)
        add("time", attitude.time)
        add("heading", attitude.heading)
        end()
    }

    /// Passes the line to C, which may write into it.
    mutating func withCString(_ body: (UnsafeMutablePointer<CChar>?) -> Void) {
        text.withUnsafeMutableBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress) }
    }

    private mutating func begin(_ name: StaticString) {
        text.removeAll(keepingCapacity: true)
        put(#"{"class":""#)
        put(name)
        put("\"")
    }

    private mutating func end() { put("}\0") }

    /// Adds a number in its shortest exact notation. It came as JSON, so it is finite.
    private mutating func add(_ name: StaticString, _ number: (some Numeric & CustomStringConvertible)?) {
        guard let number else { return }
        add(name)
        text += number.description.utf8
    }

    /// Adds a string with quotes and control characters escaped.
    private mutating func add(_ name: StaticString, _ string: String?) {
        guard let string else { return }
        add(name)
        put("\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                text += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                put(byte < 0x10 ? #"\u000"# : #"\u001"#)
                text += String(byte & 0xF, radix: 16).utf8
            default:
                text.append(byte)
            }
        }
        put("\"")
    }

    private mutating func add(_ name: StaticString) {
        put(",\"")
        put(name)
        put("\":")
    }

    private mutating func put(_ text: StaticString) {
        text.withUTF8Buffer { self.text += $0 }
    }
}
