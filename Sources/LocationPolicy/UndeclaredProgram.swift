/// A program that no declaration matches and that may be asked about all the same, since it speaks a protocol whose programs
/// nobody declares: recognised by what the kernel says of it, and told from others of the same executable by its claim.
public struct UndeclaredProgram: Hashable, Sendable {
    /// What the kernel or systemd says it is.
    public enum Evidence: Hashable, Sendable {
        /// The path of the program it runs.
        case executable(String)
        /// The Flatpak application it is part of.
        case flatpak(String)
        /// The unit of the system's service manager it belongs to.
        case systemdUnit(String)
    }

    /// Who it is.
    public let evidence: Evidence
    /// What it calls itself; empty for a program that does not say, and where the evidence leaves no doubt.
    public let claim: String

    /// The program that a peer runs; `nil` if the kernel and systemd say nothing of it that counts.
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

    /// The name under which decisions and history are kept: `/usr/bin/gammastep:gammastep`, `flatpak:org.example.Map` or
    /// `unit:weather.service`. No identifier of a declared client has a colon or a slash.
    public var identifier: String {
        switch evidence {
        case .executable(let path): claim.isEmpty ? Self.escape(path) : "\(Self.escape(path)):\(Self.escape(claim))"
        case .flatpak(let application): "flatpak:\(Self.escape(application))"
        case .systemdUnit(let unit): "unit:\(Self.escape(unit))"
        }
    }

    /// The program with this identifier; `nil` for one that no program has.
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
        // One spelling for each.
        guard self.identifier == identifier else { return nil }
    }

    /// What to call it: what it is, and what it calls itself if that is something else.
    ///
    /// - Parameter name: the name of the application whose id it claims.
    public func displayName(claimedName name: String? = nil) -> String {
        switch evidence {
        case .flatpak(let application): return application
        case .systemdUnit(let unit): return unit
        case .executable(let path):
            let program = path.split(separator: "/").last.map(String.init) ?? path
            guard !claim.isEmpty, claim != program else { return program }
            let called = name.map { "\($0) (\(claim))" } ?? claim
            return "\(program) program that calls itself \(called)"
        }
    }

    /// What stands in for its declaration.
    ///
    /// - Parameters:
    ///   - name: the name of the application whose id it claims.
    ///   - reason: why that application asks; `nil` if it does not say.
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
