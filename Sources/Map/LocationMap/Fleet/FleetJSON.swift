import NIOCore

/// Writes JSON for pages. An encoder for any value takes ten times as long, and there are 10,000 vehicles.
struct FleetJSON {
    private(set) var buffer = ByteBuffer()
    private var isFirst = true

    /// Appends JSON as it is.
    mutating func write(_ json: StaticString) {
        json.withUTF8Buffer { _ = buffer.writeBytes($0) }
        isFirst = true
    }

    mutating func write(_ json: ByteBuffer) { buffer.writeImmutableBuffer(json) }

    /// Appends the members with vehicles: `"vehicles":"…","names":[…]`.
    mutating func write(_ records: FleetRecords) {
        write("\"vehicles\":\"")
        write(records.digits)
        write("\",\"names\":[")
        write(records.names.buffer)
        write("]")
    }

    /// Appends an element of an array.
    mutating func write(element number: Int) {
        separate()
        buffer.writeString(String(number))
    }

    /// Appends an element of an array.
    mutating func write(element text: String) {
        separate()
        write(text: text)
    }

    /// Appends a string. What ends one, and what ends a line, is escaped.
    mutating func write(text: String) {
        buffer.writeString("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                buffer.writeInteger(UInt8(ascii: "\\"))
                buffer.writeInteger(byte)
            // Unsafe characters have been escaped; this is for those that might be added.
            case ..<0x20: buffer.writeString(" ")
            default: buffer.writeInteger(byte)
            }
        }
        buffer.writeString("\"")
    }

    private mutating func separate() {
        if !isFirst { buffer.writeString(",") }
        isFirst = false
    }
}
