/// Who a process is, as the kernel and systemd say it. Nothing here is the process's own word but ``claimedDesktopID``.
///
/// What could not be found out is `nil`, and `nil` matches nothing.
public struct PeerIdentity: Hashable, Sendable {
    /// The effective user of the process when it connected.
    public var userID: UInt32
    /// The process, for messages: by the time anybody reads them it may be another's.
    public var processID: Int32
    /// The absolute path of the program it runs, if the file at that path is what the process runs.
    public var executable: String?
    /// Why it is not recognised by its executable alone: either `executable` is `nil`, since the path that the process
    /// shows does not count, or it counts only beside another criterion. `nil` if it is recognised, or nothing is known.
    public var unseenExecutable: UnseenExecutable?
    /// The unit of the system's service manager it belongs to.
    public var systemdUnit: String?
    /// The unit of its user's service manager it belongs to.
    public var userUnit: String?
    /// Its logind session.
    public var session: String?
    /// The Flatpak application it is part of.
    public var flatpakID: String?
    /// Its label under SELinux, AppArmor or Smack.
    public var securityLabel: String?

    /// What the program calls itself, where its protocol has it say so: GeoClue's `DesktopId`. It tells programs of one
    /// executable apart, and never makes anybody a client alone.
    public var claimedDesktopID: String?

    /// The installed application that it says or seems to be, by the name of the desktop file: for people, and for the
    /// desktop's own dialog. Nothing is decided by it.
    public var application: String?

    /// The path by which it is recognised if nothing but the executable is asked for.
    public var recognisedExecutable: String? { unseenExecutable == nil ? executable : nil }

    /// A process of which only the user and the number are known.
    public init(userID: UInt32, processID: Int32) {
        self.userID = userID
        self.processID = processID
    }
}

/// How to recognise a client: every criterion that is given must hold.
public struct ClientMatch: Hashable, Sendable {
    /// `Executable`: an absolute path.
    public var executable: String?
    /// `SystemdUnit`: a unit of the system's service manager, `weather.service`.
    public var systemdUnit: String?
    /// `UserUnit`: a unit of the user's service manager.
    public var userUnit: String?
    /// `FlatpakID`: an application's id.
    public var flatpakID: String?
    /// `SecurityLabel`: the label a security module gave the process.
    public var securityLabel: String?
    /// `DesktopID`: what the program calls itself. Narrows a match and never makes one.
    public var desktopID: String?
    /// `Users`: the user ids it may run as; `nil` for any. Narrows a match and never makes one.
    public var users: Set<UInt32>?

    /// A match that nothing fulfils until a criterion is set.
    public init() {}

    /// How many criteria besides `users` are given: the more, the more specific.
    public var specificity: Int { evidenceCount + (desktopID == nil ? 0 : 1) }

    /// How many criteria are given that the kernel or systemd answers. A match with none matches nobody.
    private var evidenceCount: Int {
        [executable, systemdUnit, userUnit, flatpakID, securityLabel].count { $0 != nil }
    }

    /// Whether `peer` fulfils every criterion.
    public func matches(_ peer: PeerIdentity) -> Bool {
        // To the kernel names are bytes: what Unicode calls equivalent are two files.
        func fulfils(_ criterion: String?, _ value: String?) -> Bool {
            guard let criterion else { return true }
            return value.map { criterion.utf8.elementsEqual($0.utf8) } ?? false
        }
        return evidenceCount > 0
            // What another criterion promises, a namespace does not weaken, and sandboxed services have their own.
            && fulfils(executable, evidenceCount > 1 ? peer.executable : peer.recognisedExecutable)
            && fulfils(systemdUnit, peer.systemdUnit)
            && fulfils(userUnit, peer.userUnit)
            && fulfils(flatpakID, peer.flatpakID)
            && fulfils(securityLabel, peer.securityLabel)
            && fulfils(desktopID, peer.claimedDesktopID)
            && (users?.contains(peer.userID) ?? true)
    }
}
