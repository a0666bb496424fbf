/// A method of one of the `org.locationd.*` interfaces: its name and what goes in and out.
///
/// The `.varlink` files are the contract; a test proves that these types say the same.
public protocol InterfaceMethod: Sendable {
    /// What the caller sends.
    associatedtype Parameters: Codable & Sendable
    /// What the service answers; for a method called with `more`, each time.
    associatedtype Reply: Codable & Sendable
    /// The fully qualified name.
    static var name: String { get }
}

/// An error of one of the `org.locationd.*` interfaces: its name and its fields.
public protocol InterfaceError: Codable, Hashable, Sendable {
    /// The fully qualified name.
    static var name: String { get }
}

/// The parameters or the reply of a method that has none.
public struct Nothing: Codable, Hashable, Sendable {
    /// The only value.
    public init() {}
}

/// The texts of the interfaces, as the service hands them to whoever asks.
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
