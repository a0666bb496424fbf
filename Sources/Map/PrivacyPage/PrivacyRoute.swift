import PageServing

/// The purpose of a request of the privacy page.
enum PrivacyRoute: PageRoute, Hashable {
    /// The page itself.
    case index
    /// A file of the page.
    case file(String)
    /// The icon of a program.
    case icon(String)
    /// The stream of events.
    case events
    /// A decision about a program.
    case decisions
    /// A switch of location services.
    case services
    /// The question when a program had the location, and why.
    case timeline
    /// The answer to a prompt.
    case answers
    /// The report of another command.
    case reports
    /// A change of the user's rules.
    case rules
    /// A change of the user's places.
    case places
    /// The question what a recorded track would have given programs.
    case trials
    /// The question for the address of the map of places.
    case map

    init?(method: String, parts: [String]) {
        switch (method, parts.count, parts[0]) {
        case ("GET", 1, ""): self = .index
        case ("GET", 1, "events"): self = .events
        case ("GET", 2, "page"): self = .file(parts[1])
        case ("GET", 2, "icons"): self = .icon(parts[1])
        case ("POST", 1, "decisions"): self = .decisions
        case ("POST", 1, "services"): self = .services
        case ("POST", 1, "timeline"): self = .timeline
        case ("POST", 1, "answers"): self = .answers
        case ("POST", 1, "reports"): self = .reports
        case ("POST", 1, "rules"): self = .rules
        case ("POST", 1, "places"): self = .places
        case ("POST", 1, "trials"): self = .trials
        case ("POST", 1, "map"): self = .map
        default: return nil
        }
    }

    var cost: BrowserSession.Kind {
        switch self {
        case .events: .connection
        case .decisions, .services, .timeline, .answers, .reports, .rules, .places, .trials, .map: .question
        case .index, .file, .icon: .read
        }
    }
}
