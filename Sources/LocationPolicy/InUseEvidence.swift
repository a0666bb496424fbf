/// What speaks for and against a process being in use at one moment.
///
/// Whether a window is visible no interface tells that every desktop shares. What can be checked is whether the person
/// in front of the machine is where the process is: in its login session, and in its terminal if it has one.
public struct UsageEvidence: Hashable, Sendable {
    /// Where a process belongs.
    public enum Place: Hashable, Sendable {
        /// In a login session.
        case session(LoginSession)
        /// Among the applications of its user's service manager (`ApplicationUnit`), which serves all sessions of the
        /// user; with the session in which the user's applications are shown, if there is one.
        case application(shownIn: LoginSession?)
        /// Elsewhere, such as in a service; or it could not be found out.
        case background
        /// Nothing can tell: there is no systemd-logind.
        case unknown
    }

    /// How a process stands to its controlling terminal.
    public enum Terminal: Hashable, Sendable {
        /// It has none and had none.
        case none
        /// It is in the foreground process group.
        case foreground
        /// It is not: another job is, or the terminal has gone and left the process behind.
        case background
    }

    /// Where it belongs.
    public var place: Place
    /// How it stands to its terminal.
    public var terminal: Terminal
    /// Whether the user is being shown that it goes on in the background.
    public var isBackgroundActivityShown: Bool

    /// The evidence of one moment.
    public init(place: Place, terminal: Terminal = .none, isBackgroundActivityShown: Bool = false) {
        self.place = place
        self.terminal = terminal
        self.isBackgroundActivityShown = isBackgroundActivityShown
    }

    /// Whether this is evidence of use.
    public var isInUse: Bool { obstacle == nil }

    /// Whether it shows that the person has left, rather than turned to something else for a moment.
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

/// The state of a login session, as logind tells it.
public struct LoginSession: Hashable, Sendable {
    /// Whether a person logged in to use it: not a login screen, and not a session for background jobs.
    public var isOfPerson: Bool
    /// Whether it shows a graphical desktop.
    public var isGraphical: Bool
    /// Whether it is the one shown on its seat. A session without a seat, such as a remote login, always is.
    public var isActive: Bool
    /// Whether it has ended, though processes of it go on.
    public var isClosing: Bool
    /// Whether its screen is locked.
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
