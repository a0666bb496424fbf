import FoundationEssentials

/// An error reply: a fully qualified name with parameters.
///
/// A service answers a call with one; a client's call throws the one it received.
public struct VarlinkError: Error, Sendable, Equatable {
    /// For example `org.varlink.service.MethodNotFound`.
    public let name: String
    let parameters: [String: JSONValue]

    /// An error without parameters.
    public init(name: String) {
        self.init(name: name, values: [:])
    }

    /// An error with parameters, which are encoded now.
    ///
    /// - Parameter parameters: must encode as a JSON object. If that fails (a NaN, an array at the top), which is a
    ///   mistake of the program, the error has no parameters, so that the peer still gets an answer.
    public init(name: String, parameters: some Encodable) {
        let values = try? JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(parameters))
        self.init(name: name, values: values ?? [:])
    }

    init(name: String, values: [String: JSONValue]) {
        self.name = name
        self.parameters = values
    }

    /// The parameters, decoded.
    ///
    /// - Throws: `DecodingError` if they are something else.
    public func parameters<T: Decodable>(as type: T.Type) throws -> T {
        try JSONDecoder().decode(type, from: JSONEncoder().encode(parameters))
    }
}

extension VarlinkError: CustomStringConvertible {
    /// The name, followed by the names of the parameters but not by their values, which may be private.
    public var description: String {
        parameters.isEmpty ? name : "\(name) (\(parameters.keys.sorted().joined(separator: ", ")))"
    }
}
