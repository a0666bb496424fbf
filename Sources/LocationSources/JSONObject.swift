import CJansson
import Glibc
import NIOCore

/// A JSON object as jansson has parsed it, read member by member: what is asked for by its type has that type, is absent
/// or `null`, both of which are `nil`, or is an error.
struct JSONObject: ~Copyable {
    /// One of the references to it is this value's own.
    private let object: UnsafeMutablePointer<json_t>

    /// Parses `text`, all of it.
    ///
    /// jansson is stricter than JSON needs to be, which is welcome in a gate: no byte that is not UTF-8, no half of a
    /// surrogate pair, no U+0000 in a string (so that none ends early in C), no number that a `Double` cannot hold, and no
    /// more than 2,048 values within one another (`JSON_PARSER_MAX_DEPTH`), which takes less than 200 KiB of
    /// stack. Besides, no two members of the same name, of which two readers might take different ones.
    ///
    /// Every number is read as a `Double`, since jansson would refuse a text for an integer of more than 64 bits, which a
    /// speed or a member that nobody asks for may well be.
    init(parsing text: ByteBuffer) throws(JSONError) {
        let parsed = text.withUnsafeReadableBytes { bytes -> UnsafeMutablePointer<json_t>? in
            // jansson 2.14 passes over a zero byte that comes right after a number or a word.
            guard let start = bytes.baseAddress, memchr(start, 0, bytes.count) == nil else { return nil }
            return json_loadb(start, bytes.count, Int(JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL), nil)
        }
        defer { json_decref(parsed) }
        try self.init(sharing: parsed)
    }

    /// Takes a reference of its own to `value`.
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

    /// A number without a fraction, however it is written: `3`, `3.0` or `0.3e1`.
    func integer(_ name: StaticString) throws(JSONError) -> Int? {
        guard let number = try number(name) else { return nil }
        guard let integer = Int(exactly: number) else { throw JSONError() }
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

    /// The objects of an array, each as `read` understands it.
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

/// A text is not JSON, or something in it is of another type than was asked for.
struct JSONError: Error {}
