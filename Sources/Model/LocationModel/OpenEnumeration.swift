/// An enumeration to which later releases of the service may add cases.
///
/// A name that this release does not know is read as `unknown`, so that an older program works on beside a newer service. It is
/// written as it came. A `switch` treats `unknown` as the nearest general case.
///
/// Enumerations that are not of this kind get no further cases (org.locationd(7), “Compatibility”).
public protocol OpenEnumeration: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable {
    /// The cases of this release, without `unknown`.
    static var allCases: [Self] { get }

    /// A case of a later release, by its name in the interface.
    static func unknown(_ name: String) -> Self

    /// The case with this name; `unknown` if this release has none.
    init(rawValue: String)
}

extension OpenEnumeration {
    /// The case with this name; `unknown` if this release has none.
    public init(rawValue: String) {
        self = Self.allCases.first { $0.rawValue == rawValue } ?? .unknown(rawValue)
    }
}
