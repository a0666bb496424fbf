/// A property list that a test writes, made of literals: `["Limits": ["ConnectionsPerUser": 20]]`.
package enum PropertyList: Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([PropertyList])
    /// Its keys in the order of the text.
    case dictionary([(key: String, value: PropertyList)])

    /// The text of a file with a property list.
    package static func text(_ list: PropertyList) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">\(list.element)</plist>

        """
    }

    private var element: String {
        switch self {
        case .string(let text): "<string>\(Self.escaped(text))</string>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .boolean(let value): value ? "<true/>" : "<false/>"
        case .array(let elements): "<array>\(elements.map(\.element).joined())</array>"
        case .dictionary(let entries):
            "<dict>\(entries.map { "<key>\(Self.escaped($0.key))</key>\($0.value.element)" }.joined(separator: "\n"))</dict>"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    private var entries: [(key: String, value: PropertyList)] {
        if case .dictionary(let entries) = self { entries } else { [] }
    }

    /// Both dictionaries in one; of two equal keys, the first stays.
    package static func + (first: PropertyList, second: PropertyList) -> PropertyList {
        .dictionary(first.entries + second.entries.filter { entry in !first.entries.contains { $0.key == entry.key } })
    }
}

extension PropertyList: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(arrayLiteral elements: PropertyList...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, PropertyList)...) {
        self = .dictionary(elements.map { (key: $0.0, value: $0.1) })
    }
}
