public import LocationModel

/// The view of one recipient of a position at one moment: the position exactly, approximately, or no location.
///
/// The one owner of the promise that an absence tells nothing. A rule about a place changes ``release`` only; everything that a
/// program learns of its access comes from ``access``, which no such rule changes. If a rule may withhold positions from the
/// client, ``absence`` says that a missing location is reported in one manner, whatever the reason. So two moments that differ
/// only in the place look alike to it if it is shown no location at both.
public struct RecipientView: Hashable, Sendable {
    /// The access that is reported to the recipient.
    public let access: Access
    /// The accuracy with which the position may be released to the recipient; `nil` if it must not be: without access, and where
    /// a rule about a place withholds it, which to the recipient is like a receiver without a fix.
    public let release: AccuracyAuthorization?
    /// The manner in which a missing location is reported to the recipient.
    public let absence: AbsenceReport

    /// True if a rule about a place withholds the position.
    public var isWithheld: Bool { release == nil && access.isPermitted }

    /// True if only a rule about a place makes the position approximate, which the recipient learns from the locations that it
    /// gets.
    public var isReducedByPlace: Bool { release == .reduced && access == .permitted(.full) }

    /// The view without rules about places.
    init(_ access: Access, _ absence: AbsenceReport) {
        (self.access, self.absence) = (access, absence)
        release = if case .permitted(let accuracy) = access { accuracy } else { nil }
    }

    /// The same view, of a position that rules about places allow with this accuracy only; `nil` for not at all.
    func limited(to release: AccuracyAuthorization?) -> Self {
        Self(access: access, release: release, absence: absence)
    }

    private init(access: Access, release: AccuracyAuthorization?, absence: AbsenceReport) {
        (self.access, self.release, self.absence) = (access, release, absence)
    }
}

/// The manner in which a missing location is reported.
public enum AbsenceReport: Hashable, Sendable {
    /// With the reason, when the sources report it.
    case explained
    /// Without a reason, when the last location that it was permitted goes stale. For clients from which a rule about a place may
    /// withhold locations, wherever the user is now: any other manner would reveal when the user comes to the place.
    case uniform
}

extension Access {
    /// True if it permits deliveries.
    public var isPermitted: Bool { if case .permitted = self { true } else { false } }
}

extension [AccessRule] {
    /// The manner in which a missing location is reported to the clients of these rules.
    var absence: AbsenceReport {
        contains { $0.dependsOnPlace && ($0.limit.isDenial || $0.limit.maximumAuthorization != nil) }
            ? .uniform : .explained
    }
}
