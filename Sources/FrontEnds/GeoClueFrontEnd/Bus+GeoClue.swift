import LinuxPlumbing

// GeoClue's values and errors on the bus.

extension BusConnection {
    /// Answers a call with an error.
    func fail(_ call: OpaquePointer, _ error: BusError) { fail(call, name: error.name, message: error.message) }

    /// Sends one peer `PropertiesChanged`.
    func sendChange(_ properties: [PropertyValue], of object: ObjectPath, to peer: String) {
        signal("PropertiesChanged", of: Interface.properties.rawValue, at: object.text, to: peer) {
            $0.append(object.interface.rawValue)
            $0.append(properties)
            $0.appendArray(of: "s")
        }
    }
}

extension OutgoingMessage {
    mutating func append(_ value: BusValue) {
        switch value {
        case .boolean(let isTrue): append(isTrue)
        case .number(let number): append(number)
        case .real(let number): append(number)
        case .text(let text): append(text)
        case .path(let path): append(path: path)
        case .time(let seconds, let microseconds):
            appendStructure(of: "tt") {
                $0.append(seconds)
                $0.append(microseconds)
            }
        }
    }

    mutating func appendVariant(_ value: BusValue) { appendVariant(of: value.signature) { $0.append(value) } }

    mutating func append(_ properties: [PropertyValue]) {
        appendArray(of: "{sv}") {
            for property in properties {
                $0.appendEntry(property.name, of: property.value.signature) { $0.append(property.value) }
            }
        }
    }
}

extension IncomingMessage {
    /// The arguments of a call, with the value of a variant in its place; `nil` for a signature that no method here has.
    func arguments() -> [BusValue]? {
        guard ["", "s", "o", "ss", "ssv"].contains(signature) else { return nil }
        var values: [BusValue] = []
        for type in signature.utf8 {
            guard let value = type == UInt8(ascii: "v") ? readVariant() : read(CChar(type)) else { return nil }
            values.append(value)
        }
        return values
    }

    /// Reads a value of a basic type; `nil` for a type that is not used here.
    func read(_ type: CChar) -> BusValue? {
        switch type {
        case BusType.string: readText(type).map { .text($0) }
        case BusType.path: readText(type).map { .path($0) }
        case BusType.number: readWord(type).map { .number($0) }
        case BusType.boolean: readWord(type).map { .boolean($0 != 0) }
        default: nil
        }
    }

    /// Reads the value in a variant.
    func readVariant() -> BusValue? {
        guard let type = variantSignature?.utf8.first, type != UInt8(ascii: "v") else { return nil }
        return readVariant(of: String(UnicodeScalar(type))) { read(CChar(type)) }
    }
}
