/// A program that may ask without a declaration, because programs of its protocol (GeoClue) need none.
///
/// It is identified by the kernel's evidence alone, so that prompts, decisions and their limits belong to that: under
/// another claimed name it is the same program. An interpreter is one program, whatever it runs.
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

    /// The program of a peer; `nil` without sufficient evidence from the kernel and systemd.
    public init?(_ peer: PeerIdentity) {
        if let application = peer.flatpakID {
            evidence = .flatpak(application)
        } else if let executable = peer.recognisedExecutable {
            evidence = .executable(executable)
        } else if let unit = peer.systemdUnit, peer.userUnit == nil, peer.session == nil {
            evidence = .systemdUnit(unit)
        } else {
            return nil
        }
    }

    /// The key of decisions and history: `/usr/bin/gammastep`, `flatpak:org.example.Map` or `unit:weather.service`.
    /// Identifiers of declared clients have neither a colon nor a slash.
    public var identifier: String {
        switch evidence {
        case .executable(let path): Self.escape(path)
        case .flatpak(let application): "flatpak:\(Self.escape(application))"
        case .systemdUnit(let unit): "unit:\(Self.escape(unit))"
        }
    }

    /// The program at a path, as the kernel names it.
    public init(executable path: String) { evidence = .executable(path) }

    /// The program with this identifier; `nil` for an invalid one.
    public init?(identifier: String) {
        let parts = identifier.split(separator: ":", omittingEmptySubsequences: false).map { Self.unescape($0) }
        switch parts.count {
        case 1:
            guard let path = parts[0], path.hasPrefix("/") else { return nil }
            evidence = .executable(path)
        case 2:
            guard let name = parts[1], !name.isEmpty else { return nil }
            switch parts[0] {
            case "flatpak": evidence = .flatpak(name)
            case "unit": evidence = .systemdUnit(name)
            default: return nil
            }
        default: return nil
        }
        // Reject other spellings of the same identifier.
        guard self.identifier == identifier else { return nil }
    }

    /// The name for messages.
    public var displayName: String {
        switch evidence {
        case .flatpak(let application): application
        case .systemdUnit(let unit): unit
        case .executable(let path): path.split(separator: "/").last.map(String.init) ?? path
        }
    }

    /// The declaration that applies in its place.
    ///
    /// - Parameters:
    ///   - claim: the name that it claims, which a prompt mentions beside its own.
    ///   - reason: the reason for asking of the application that it is; `nil` if it gives none.
    public func declaration(claim: String? = nil, reason: String? = nil) -> ClientDeclaration {
        var match = ClientMatch()
        switch evidence {
        case .executable(let path): match.executable = path
        case .flatpak(let application): match.flatpakID = application
        case .systemdUnit(let unit): match.systemdUnit = unit
        }
        var declaration = ClientDeclaration(identifier: identifier, match: match, file: "")
        declaration.displayName = displayName
        declaration.whenInUseUsageDescription = reason ?? description(of: claim)
        return declaration
    }

    /// The words in place of a reason.
    private func description(of claim: String?) -> String {
        guard case .executable(let path) = evidence else { return "It gives no reason." }
        let extent = "Your answer counts for everything that \(displayName) runs."
        if let claim, claim != displayName {
            return "It calls itself \(Self.shown(claim)) and gives no reason. \(extent)"
        }
        if Interpreter(path: path) != nil { return "It gives no reason. \(extent)" }
        guard Self.relays.contains(displayName) else { return "It gives no reason." }
        return "It gives no reason. Your answer counts for every program that starts \(displayName) and reads what it "
            + "prints."
    }

    /// Programs that pass on what they are sent: those of gpsd, and those that connect to any port.
    private static let relays: Set = [
        "gps2udp", "gpscsv", "gpspipe", "gpsrinex", "gpxlogger", "nc", "nc.openbsd", "nc.traditional", "ncat", "socat",
        "telnet",
    ]

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
