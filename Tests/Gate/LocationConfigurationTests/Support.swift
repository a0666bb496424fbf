import FoundationEssentials
import Glibc
import LocationConfiguration
import LocationPolicy
import TestSupport

extension TemporaryDirectory {
    @discardableResult
    func write(_ name: String, _ content: some Sequence<UInt8>, mode: mode_t = 0o644) throws -> String {
        let file = "\(path)/\(name)"
        try Data(content).write(to: URL(filePath: file))
        chmod(file, mode)
        return file
    }

    @discardableResult
    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws -> String {
        try write(name, text.utf8, mode: mode)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: "\(path)/\(name)")), as: UTF8.self)
    }

    func makeDirectory(_ name: String) throws -> String {
        let directory = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        chmod(directory, 0o755)
        return directory
    }
}

/// What `check` says of a file with this content, the file's path as `F`.
func problems(_ content: some Sequence<UInt8>) throws -> [String] {
    let directory = try TemporaryDirectory()
    let file = try directory.write("f.plist", content)
    return Configuration.check(file: file).problems.map { $0.description.replacing(file, with: "F") }
}

/// The body of a list with its `<plist>` on line 1 and the first line of `body` on line 2.
func xml(_ body: String) -> String { "<plist version=\"1.0\">\n\(body)\n</plist>\n" }

/// A declaration of `identifier`; `extra` are more lines of its dictionary, from line 5.
/// A client's declaration; of a program of its own, unless one is given.
func client(_ identifier: String, executable: String? = nil, _ extra: String = "") -> String {
    // An identifier that is refused must not spoil the path, too.
    let isPlain = identifier.first?.isLetter == true && identifier.allSatisfy { $0.isLetter || $0 == "." }
    let executable = executable ?? "/usr/bin/" + (isPlain ? identifier : "weather")
    return xml(
        """
        <dict>
        <key>CFBundleIdentifier</key><string>\(identifier)</string>
        <key>Match</key><dict><key>Executable</key><string>\(executable)</string></dict>
        \(extra)
        </dict>
        """)
}

/// A property list written as a literal.
enum Plain: Encodable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([Plain])
    case dictionary([String: Plain])

    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(arrayLiteral elements: Plain...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, Plain)...) {
        self = .dictionary(Dictionary(uniqueKeysWithValues: elements))
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .string(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .boolean(let value): try value.encode(to: encoder)
        case .array(let value): try value.encode(to: encoder)
        case .dictionary(let value): try value.encode(to: encoder)
        }
    }

    func list() throws -> [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return Array(try encoder.encode(self))
    }
}
