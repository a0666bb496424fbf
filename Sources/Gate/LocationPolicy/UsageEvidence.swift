/// The evidence at one moment for and against a process being in use.
///
/// No interface common to all desktops reports whether a window is visible. The checkable evidence is whether the user is
/// where the process is: in its login session, and in its terminal if it has one.
public struct UsageEvidence: Hashable, Sendable {
    /// The session or service that a process belongs to.
    public enum Place: Hashable, Sendable {
        /// A login session.
        case session(LoginSession)
        /// An application unit of the user's service manager (`ApplicationUnit`), which serves all sessions of the
        /// user; with the session that displays the user's applications, if there is one.
        case application(shownIn: LoginSession?)
        /// Another place, such as a service, or an unknown one.
        case background
        /// Unknown, because systemd-logind cannot be asked.
        case unknown
    }

    /// The relation of a process to its controlling terminal.
    public enum Terminal: Hashable, Sendable {
        /// It has no terminal and had none.
        case none
        /// It is in the terminal's foreground process group.
        case foreground
        /// Another job is in the foreground, or the terminal has been closed.
        case background
    }

    /// The place of the process.
    public var place: Place
    /// The relation of the process to its terminal.
    public var terminal: Terminal
    /// True while the desktop shows the user that the program is using the location in the background.
    public var isBackgroundActivityShown: Bool

    /// The evidence of one moment.
    public init(place: Place, terminal: Terminal = .none, isBackgroundActivityShown: Bool = false) {
        self.place = place
        self.terminal = terminal
        self.isBackgroundActivityShown = isBackgroundActivityShown
    }

    /// True if the evidence shows use.
    public var isInUse: Bool { obstacle == nil }

    /// True if the user has left, so that no grace period applies, rather than switched to something else for a moment.
    public var endsUseAtOnce: Bool {
        guard !isBackgroundActivityShown, let session else { return false }
        return session.isLocked || session.isClosing
    }

    private var session: LoginSession? {
        switch place {
        case .session(let session): session
        case .application(let session): session
        case .background, .unknown: nil
        }
    }
}

/// The state of a login session according to logind.
public struct LoginSession: Hashable, Sendable {
    /// True if a person logged in to use it; false for a login screen and for a session of background jobs.
    public var isOfPerson: Bool
    /// True if it shows a graphical desktop.
    public var isGraphical: Bool
    /// True if it is the session shown on its seat. Always true without a seat, as in a remote login.
    public var isActive: Bool
    /// True if it has ended while processes of it still run.
    public var isClosing: Bool
    /// True if its screen is locked.
    public var isLocked: Bool

    /// A session in this state.
    public init(
        isOfPerson: Bool = true, isGraphical: Bool = true, isActive: Bool, isClosing: Bool = false,
        isLocked: Bool = false
    ) {
        self.isOfPerson = isOfPerson
        self.isGraphical = isGraphical
        self.isActive = isActive
        self.isClosing = isClosing
        self.isLocked = isLocked
    }
}
