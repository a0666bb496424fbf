/// A method of one of the `org.locationd.*` interfaces: its name, its parameters and its reply.
///
/// The `.varlink` files are the contract; a test compares these types with them.
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

/// The texts of the interfaces for Varlink's introspection.
public enum InterfaceTexts {
    /// `org.locationd.Location`.
    public static let location = text(PackageResources.org_locationd_Location_varlink)
    /// `org.locationd.Authorization`.
    public static let authorization = text(PackageResources.org_locationd_Authorization_varlink)
    /// `org.locationd.Agent`.
    public static let agent = text(PackageResources.org_locationd_Agent_varlink)
    /// `org.locationd.Manager`.
    public static let manager = text(PackageResources.org_locationd_Manager_varlink)

    /// All of them.
    public static let all = [location, authorization, agent, manager]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
