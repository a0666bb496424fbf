/// The URL of a service and the key that it needs: secrets, kept in one file, the URL in the first line and the key in the second.
package struct ServiceAccess: Hashable, Sendable, CustomStringConvertible {
    /// The URL as the user gave it.
    package let address: ServiceURL
    /// The key; `nil` without one.
    package let key: String?

    /// The URL to which messages are sent.
    package var url: String { address.target }
    /// The origin, so that the secrets are not printed by mistake.
    package var description: String { address.origin }

    /// Reads the lines of a file.
    ///
    /// - Parameter allowsPlain: true to accept `http://`.
    package init(
        _ text: String, of service: SharingService, allowsPlain: Bool
    ) throws(InvalidServiceURL) {
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }.filter { !$0.isEmpty }
        guard let first = lines.first else { throw .notAURL(service) }
        address = try ServiceURL(first, of: service, allowsPlain: allowsPlain)
        key = lines.count > 1 ? lines[1] : nil
        let isKey = key?.utf8.allSatisfy { (0x21..<0x7f).contains($0) } ?? true
        guard lines.count < 3, isKey else { throw .key(service) }
        switch service.key {
        case .none: guard key == nil else { throw .key(service) }
        case .required: guard key != nil else { throw .key(service) }
        case .optional: guard key?.contains(":") ?? true else { throw .key(service) }
        }
    }

    /// The text of the file.
    package var text: String { ([address.secret] + (key.map { [$0] } ?? [])).joined(separator: "\n") }
}
