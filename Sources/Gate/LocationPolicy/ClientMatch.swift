/// The identity of a process according to the kernel and systemd. No value but ``claimedDesktopID`` is the process's own
/// claim.
///
/// Properties that could not be determined are `nil`, and `nil` matches no criterion.
public struct PeerIdentity: Hashable, Sendable {
    /// The effective user id at the time of the connection.
    public var userID: UInt32
    /// The process id, for messages only: the kernel may have given it to another process since.
    public var processID: Int32
    /// The absolute path of the program, if the file at that path is the one that the process runs.
    public var executable: String?
    /// The reason why the executable alone does not identify the process: its path cannot be verified, in which case
    /// `executable` is `nil`, or counts only beside another criterion. `nil` if the executable is verified or unknown.
    public var unverifiedExecutable: UnverifiedExecutable?
    /// The unit of the system's service manager.
    public var systemdUnit: String?
    /// The unit of the user's service manager.
    public var userUnit: String?
    /// The logind session.
    public var session: String?
    /// The Flatpak application id.
    public var flatpakID: String?
    /// The label under SELinux, AppArmor or Smack.
    public var securityLabel: String?

    /// The name that the program claims where its protocol has one: GeoClue's `DesktopId`. It counts only where a declaration
    /// names it beside the evidence, and for people otherwise.
    public var claimedDesktopID: String?

    /// The installed application that it is according to the evidence, by the name of its desktop file. The desktop's own
    /// dialog is asked about this application, and answers with what it has stored for it.
    public var application: String?

    /// The executable, if it is sufficient to identify the process; otherwise `nil`.
    public var recognisedExecutable: String? { unverifiedExecutable == nil ? executable : nil }

    /// The path of the program if another file has taken the place of the one that the process runs; otherwise `nil`.
    public var replacedExecutable: String? {
        unverifiedExecutable.flatMap { $0.reason == .replaced ? $0.path : nil }
    }

    /// A process of which only user id and process id are known.
    public init(userID: UInt32, processID: Int32) {
        self.userID = userID
        self.processID = processID
    }
}

/// The criteria that identify a client's processes. All criteria that are set must hold.
public struct ClientMatch: Hashable, Sendable {
    /// `Executable`: an absolute path.
    public var executable: String?
    /// `SystemdUnit`: a unit of the system's service manager, `weather.service`.
    public var systemdUnit: String?
    /// `UserUnit`: a unit of the user's service manager.
    public var userUnit: String?
    /// `FlatpakID`: an application id.
    public var flatpakID: String?
    /// `SecurityLabel`: the label that a security module gave the process.
    public var securityLabel: String?
    /// `DesktopID`: the name that the program claims. Narrows a match, but is not a criterion by itself.
    public var desktopID: String?
    /// `Users`: the user ids that the client may run as; `nil` for all. Narrows a match, but is not a criterion by
    /// itself.
    public var users: Set<UInt32>?

    /// A match without criteria, which matches no process.
    public init() {}

    /// The number of criteria that are set, without `users`: the more, the more specific.
    public var specificity: Int { evidenceCount + (desktopID == nil ? 0 : 1) }

    /// The number of criteria that the kernel or systemd provides. A match with none of them matches no process.
    private var evidenceCount: Int {
        [executable, systemdUnit, userUnit, flatpakID, securityLabel].count { $0 != nil }
    }

    /// True if `peer` meets every criterion that is set.
    public func matches(_ peer: PeerIdentity) -> Bool {
        // Compare bytes, as the kernel does: names that Unicode calls equivalent can be two different files.
        func fulfils(_ criterion: String?, _ value: String?) -> Bool {
            guard let criterion else { return true }
            return value.map { criterion.utf8.elementsEqual($0.utf8) } ?? false
        }
        return evidenceCount > 0
            // Beside another criterion an executable in another namespace counts, because sandboxed services have their
            // own.
            && fulfils(executable, evidenceCount > 1 ? peer.executable : peer.recognisedExecutable)
            && fulfils(systemdUnit, peer.systemdUnit)
            && fulfils(userUnit, peer.userUnit)
            && fulfils(flatpakID, peer.flatpakID)
            && fulfils(securityLabel, peer.securityLabel)
            && fulfils(desktopID, peer.claimedDesktopID)
            && (users?.contains(peer.userID) ?? true)
    }
}
