package import LocationModel

/// A source of headings besides the receivers: the machine's own compass. It belongs to a ``SourceGroup``.
///
/// It is confined to the group's event loop, and never blocks.
package protocol HeadingSource: AnyObject, Sendable {
    /// Sets whether headings are needed of it. While they are not, it is idle.
    func setNeeded(_ isNeeded: Bool)

    /// Sets where the machine is, for the declination. Without a location (`nil`) there is no true heading.
    func setLocation(_ location: Location?)

    /// The reason for which it has no heading, as a sentence; `nil` if there is none, and while it is not needed.
    var problem: String? { get }

    /// Shuts the source down. Nothing is reported afterwards.
    func shutdown()
}
