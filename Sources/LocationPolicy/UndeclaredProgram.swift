/// A program that may ask without a declaration, because programs of its protocol (GeoClue) need none. It is identified
/// by the kernel's evidence, and told from others with the same executable by its claimed name.
public struct UndeclaredProgram: Hashable, Sendable {
    /// The identity of a program according to the kernel or systemd.
    public enum Evidence: Hashable, Sendable {
        /// The path of the program it runs.
        case executable(String)
        /// The Flatpak application it is part of.
        case flatpak(String)
        /// The unit of the system's service manager it belongs to.
        case systemdUnit(String)
    }

    /// The identity.
    public let evidence: Evidence
    /// The name that the program claims; empty if it claims none, or if the evidence alone identifies it.
    public let claim: String

    /// The program of a peer; `nil` without sufficient evidence from the kernel and systemd.
    public init?(_ peer: PeerIdentity) {
        if let application = peer.flatpakID {
            (evidence, claim) = (.flatpak(application), "")
        } else if let executable = peer.recognisedExecutable {
            (evidence, claim) = (.executable(executable), peer.claimedDesktopID ?? "")
        } else if let unit = peer.systemdUnit, peer.userUnit == nil, peer.session == nil {
            (evidence, claim) = (.systemdUnit(unit), "")
        } else {
            return nil
        }
    }

    /// The key of decisions and history: `/usr/bin/gammastep:gammastep`, `flatpak:org.example.Map` or
    /// `unit:weather.service`. Identifiers of declared clients have neither a colon nor a slash.
    public var identifier: String {
        switch evidence {
        case .executable(let path): claim.isEmpty ? Self.escape(path) : "\(Self.escape(path)):\(Self.escape(claim))"
        case .flatpak(let application): "flatpak:\(Self.escape(application))"
        case .systemdUnit(let unit): "unit:\(Self.escape(unit))"
        }
    }

    /// The program with this identifier; `nil` for an invalid one.
    public init?(identifier: String) {
        let parts = identifier.split(separator: ":", omittingEmptySubsequences: false).map { Self.unescape($0) }
        guard parts.count <= 2, let first = parts[0] else { return nil }
        if first.hasPrefix("/") {
            guard let claim = parts.count == 2 ? parts[1] : "" else { return nil }
            (evidence, self.claim) = (.executable(first), claim)
        } else {
            guard parts.count == 2, let name = parts[1], !name.isEmpty else { return nil }
            switch first {
            case "flatpak": (evidence, claim) = (.flatpak(name), "")
            case "unit": (evidence, claim) = (.systemdUnit(name), "")
            default: return nil
            }
        }
        // Reject other spellings of the same identifier.
        guard self.identifier == identifier else { return nil }
    }

    /// The name for messages: the identity, and the claimed name if it differs.
    ///
    /// - Parameter name: the name of the application whose id it claims.
    public func displayName(claimedName name: String? = nil) -> String {
        switch evidence {
        case .flatpak(let application): return application
        case .systemdUnit(let unit): return unit
        case .executable(let path):
            let program = path.split(separator: "/").last.map(String.init) ?? path
            guard !claim.isEmpty, claim != program else { return program }
            let called = name.map { "\($0) (\(claim))" } ?? Self.shown(claim)
            return "\(program) program that calls itself \(called)"
        }
    }

    /// The declaration that applies in its place.
    ///
    /// - Parameters:
    ///   - name: the name of the application whose id it claims.
    ///   - reason: the application's reason for asking; `nil` if it gives none.
    public func declaration(claimedName name: String? = nil, reason: String? = nil) -> ClientDeclaration {
        var match = ClientMatch()
        switch evidence {
        case .executable(let path): match.executable = path
        case .flatpak(let application): match.flatpakID = application
        case .systemdUnit(let unit): match.systemdUnit = unit
        }
        match.desktopID = claim.isEmpty ? nil : claim
        var declaration = ClientDeclaration(identifier: identifier, match: match, file: "")
        declaration.displayName = displayName(claimedName: name)
        declaration.whenInUseUsageDescription = reason ?? "It gives no reason."
        return declaration
    }

    /// A claim as text for people: in quotes unless it is a plain name, because it may be a sentence.
    private static func shown(_ claim: String) -> String {
        let isPlain = claim.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
        }
        let text = claim.count > 64 ? "\(claim.prefix(64))…" : claim
        return isPlain ? text : "“\(text.filter { !"“”".contains($0) })”"
    }

    /// Writes the bytes that do not stand for themselves as `%XX`.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            if (UInt8(ascii: "!")...UInt8(ascii: "~")).contains(byte), byte != UInt8(ascii: ":"),
                byte != UInt8(ascii: "%")
            {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    private static func unescape(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let byte = UInt8(String(Substring(rest.prefix(2))), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
