/// A method of one of the `org.locationd.*` interfaces: its name, its parameters and its reply.
///
/// The `.varlink` files are the contract: the methods, errors and types are generated from them, but for the types of
/// `LocationModel`, which a test compares with them.
public protocol InterfaceMethod: Sendable {
    /// The caller's parameters.
    associatedtype Parameters: Codable & Sendable
    /// The reply; each of them for a method called with `more`.
    associatedtype Reply: Codable & Sendable
    /// The fully qualified name.
    static var name: String { get }
}

/// An error of one of the `org.locationd.*` interfaces: its name and its fields.
public protocol InterfaceError: Codable, Hashable, Sendable {
    /// The fully qualified name.
    static var name: String { get }
}

/// Empty parameters, or an empty reply.
public struct Nothing: Codable, Hashable, Sendable {
    /// The only value.
    public init() {}
}
