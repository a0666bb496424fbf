import LocationPolicy
import TextSupport

/// The validity rule for a string.
struct TextRule: Sendable {
    /// The greatest length in bytes of UTF-8.
    let maximumLength: Int
    /// The message for a text that is neither empty nor too long but invalid; `nil` for a valid one.
    private let complaint: @Sendable (String) -> String?

    init(_ maximumLength: Int, _ complaint: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.maximumLength = maximumLength
        self.complaint = complaint
    }

    /// The message about `text` if it is invalid.
    func problem(in text: String) -> String? {
        guard text.contains(where: { !$0.isWhitespace }) else { return "This must not be empty." }
        guard text.utf8.count <= maximumLength else {
            return "This must be at most \(maximumLength) bytes long, not \(text.utf8.count)."
        }
        guard !text.isUnsafeToShow else {
            return "This must be one line without control characters or invisible ones."
        }
        return complaint(text)
    }

    /// Text for people.
    static func line(_ maximumLength: Int) -> TextRule { TextRule(maximumLength) }

    /// The identifier of a declared client or of a Flatpak application.
    static let identifier = TextRule(255) { text in
        isIdentifier(text)
            ? nil
            : "An identifier is letters, digits, \"-\" and \"_\", in parts with a single \".\" between them, "
                + "such as org.example.Weather."
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIINameCharacter) }
    }

    /// The identifier of a client, declared or not.
    static let client = TextRule(4095) { text in
        isIdentifier(text) || UndeclaredProgram(identifier: text) != nil
            ? nil
            : "Name a program as locationctl clients does: org.example.Weather, or the path of its file, such as /usr/bin/gpspipe."
    }

    /// An absolute path of a program, file or directory in the kernel's canonical form.
    static let path = absolutePath(4095)

    /// The path of a socket, limited by `sockaddr_un`.
    static let socketPath = absolutePath(107)

    private static func absolutePath(_ maximumLength: Int) -> TextRule {
        TextRule(maximumLength) { text in
            let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isNormal = parts.dropFirst().allSatisfy { part in
                !part.isEmpty && ![".", ".."].contains { part.elementsEqual($0.utf8) }
            }
            return parts[0].isEmpty && isNormal
                ? nil
                : "This must be an absolute path without \"//\", \".\" or \"..\" in it and without \"/\" at its end."
        }
    }

    /// A unit that runs programs.
    static let unit = TextRule(255) { text in
        guard [".service", ".scope"].contains(where: { text.hasSuffix($0) && text != $0 }) else {
            return "This must name a unit that programs run in, with its suffix: .service or .scope."
        }
        let isLegal = text.utf8.allSatisfy { $0.isASCIINameCharacter || ":.@\\".utf8.contains($0) }
        return isLegal ? nil : "A unit name is letters, digits and \":-_.@\\\"; see systemd-escape(1)."
    }

    /// A unit that can be started by its name: a service, and no template without an instance.
    static let launchedUnit = TextRule(255) { text in
        guard text.hasSuffix(".service"), text != ".service" else {
            return "Only a service can be started: this must name one, with the suffix .service."
        }
        if let problem = unit.problem(in: text) { return problem }
        let name = text.utf8.dropLast(".service".utf8.count)
        guard let at = name.firstIndex(of: UInt8(ascii: "@")) else { return nil }
        guard at != name.startIndex else { return "A unit name does not start with \"@\"." }
        return name.index(after: at) < name.endIndex
            ? nil
            : "This is a template, which cannot be started: add the instance, such as \(text.prefix { $0 != "@" })@1.service."
    }

    /// The name or address of a machine.
    static let host = TextRule(253) { text in
        let isLegal = text.utf8.allSatisfy { $0.isASCIINameCharacter || ".:%".utf8.contains($0) }
        return isLegal ? nil : "This must be a host name or an IP address."
    }
}
