import CJansson
import Glibc
import NIOCore

/// A JSON object parsed by jansson, with typed access to its members: a member is of the requested type, or absent or
/// `null`, which both read as `nil`, or an error.
struct JSONObject: ~Copyable {
    /// This value holds one reference to it.
    private let object: UnsafeMutablePointer<json_t>

    /// Parses `text`, which must be a single object.
    ///
    /// jansson is stricter than JSON requires, which is welcome here: it rejects invalid UTF-8, unpaired surrogates,
    /// U+0000 in strings (which would end them early in C), numbers beyond the range of `Double`, and values nested
    /// deeper than 2,048 levels (`JSON_PARSER_MAX_DEPTH`), which take less than 200 KiB of stack. Duplicate members, of
    /// which two parsers might choose different ones, are rejected as well.
    ///
    /// All numbers are read as `Double`, because jansson would reject a document with an integer of more than 64 bits,
    /// which a speed or an irrelevant member may have.
    init(parsing text: ByteBuffer) throws(JSONError) {
        let parsed = text.withUnsafeReadableBytes { bytes -> UnsafeMutablePointer<json_t>? in
            // jansson 2.14 ignores a zero byte right after a number or a literal.
            guard let start = bytes.baseAddress, memchr(start, 0, bytes.count) == nil else { return nil }
            return json_loadb(start, bytes.count, Int(JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL), nil)
        }
        defer { json_decref(parsed) }
        try self.init(sharing: parsed)
    }

    /// Retains `value`.
    private init(sharing value: UnsafeMutablePointer<json_t>?) throws(JSONError) {
        guard let value, value.pointee.type == JSON_OBJECT else { throw JSONError() }
        object = json_incref(value)
    }

    deinit { json_decref(object) }

    func string(_ name: StaticString) throws(JSONError) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = json_string_value(value) else { throw JSONError() }
        return String(cString: text)
    }

    func number(_ name: StaticString) throws(JSONError) -> Double? {
        guard let value = member(name) else { return nil }
        guard value.pointee.type == JSON_REAL else { throw JSONError() }
        return json_real_value(value)
    }

    /// A number without a fraction, in any notation: `3`, `3.0` or `0.3e1`. Its magnitude is less than 2⁵³: from there on
    /// a `Double` stands for several integers.
    func integer(_ name: StaticString) throws(JSONError) -> Int? {
        guard let number = try number(name) else { return nil }
        guard abs(number) < 0x1p53, let integer = Int(exactly: number) else { throw JSONError() }
        return integer
    }

    func boolean(_ name: StaticString) throws(JSONError) -> Bool? {
        guard let value = member(name) else { return nil }
        switch value.pointee.type {
        case JSON_TRUE: return true
        case JSON_FALSE: return false
        default: throw JSONError()
        }
    }

    /// The objects of an array, each converted by `read`.
    func objects<Element>(
        _ name: StaticString, _ read: (borrowing JSONObject) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element]? {
        guard let array = member(name) else { return nil }
        guard array.pointee.type == JSON_ARRAY else { throw JSONError() }
        var elements: [Element] = []
        for index in 0..<json_array_size(array) {
            elements.append(try read(JSONObject(sharing: json_array_get(array, index))))
        }
        return elements
    }

    /// The value of a member, which lives as long as this object.
    private func member(_ name: StaticString) -> UnsafeMutablePointer<json_t>? {
        let name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let value = json_object_get(object, name), value.pointee.type != JSON_NULL else { return nil }
        return value
    }
}

/// A text is not JSON, or a value has another type than the requested one.
struct JSONError: Error {}
