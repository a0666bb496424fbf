/// The reason why a process is not in use, by the name that `LocationReason` has for it; of several, the first in the order of
/// ``UsageEvidence/obstacle``.
public enum UseObstacle: String, Sendable, CaseIterable {
    /// systemd-logind cannot be asked.
    case noLogind
    /// It belongs to no login session.
    case noSession
    /// Its session is a login screen, or for background jobs.
    case sessionNotOfPerson
    /// Its session has ended.
    case sessionClosing
    /// The screen of its session is locked.
    case sessionLocked
    /// Another session is shown on its seat.
    case sessionNotActive
    /// It is an application without a terminal, and no graphical session of its user shows it.
    case noDesktop
    /// It is a background job of its terminal, or the terminal was closed.
    case backgroundJob
}

extension UsageEvidence {
    /// The obstacle to use; `nil` if the evidence shows use.
    ///
    /// An obstacle of the session comes before one of the process, because the user has to remove it first.
    public var obstacle: UseObstacle? {
        if isBackgroundActivityShown { return nil }
        switch place {
        case .unknown: return .noLogind
        case .background: return .noSession
        case .application(shownIn: nil): return .noDesktop
        case .session(let session):
            return session.obstacle ?? (terminal == .background ? .backgroundJob : nil)
        case .application(shownIn: let session?):
            if let obstacle = session.obstacle { return obstacle }
            if terminal == .background { return .backgroundJob }
            // Without a terminal an application is visible only on a graphical desktop.
            return session.isGraphical || terminal == .foreground ? nil : .noDesktop
        }
    }
}

extension LoginSession {
    fileprivate var obstacle: UseObstacle? {
        if !isOfPerson { return .sessionNotOfPerson }
        if isClosing { return .sessionClosing }
        if isLocked { return .sessionLocked }
        return isActive ? nil : .sessionNotActive
    }
}
