package import WiFiPositioning

/// The settings of the program that queries a positioning server.
public struct NetworkConfiguration: Sendable {
    /// The file of the installed program.
    public static let defaultFile = "/etc/locationd/network.plist"

    /// `Server`: the URL of the server.
    package let server: ServerAddress

    /// Reads a file, which only root or the user of this process may be able to write.
    ///
    /// - Returns: the settings; `nil` if the file does not exist.
    /// - Throws: the problems of the file, any of which keeps the server from being asked.
    public static func load(file: String) throws(InvalidConfiguration) -> NetworkConfiguration? {
        guard let bytes = try ConfigurationFile.read(file) else { return nil }
        let reading = DocumentReading(try PropertyListDocument(bytes, file: file)) { reader in
            let server = reader.string("Server", .serverAddress).flatMap { try? ServerAddress($0) }
            if !reader.has("Server") { reader.report("Server", "This is missing: the URL of the server to ask.") }
            return server
        }
        guard reading.problems.isEmpty, let server = reading.value ?? nil else {
            throw InvalidConfiguration(reading.problems)
        }
        return NetworkConfiguration(server: server)
    }
}

extension TextRule {
    /// The URL of a positioning server.
    fileprivate static let serverAddress = TextRule(2048) { text in
        do throws(ServerAddress.Flaw) {
            _ = try ServerAddress(text)
            return nil
        } catch {
            return error.description
        }
    }
}
