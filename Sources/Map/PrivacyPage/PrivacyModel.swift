import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement
import Logging
import NIOCore
import PageServing
import Pacing

/// What the privacy page shows: the switches and the programs, as the service reports them to the user that runs this program.
///
/// It keeps nothing that the service has not said, and follows the service's stream of changes.
@MainActor
final class PrivacyModel {
    let hub: PageHub
    let applications: Applications
    private let manager: LocationServiceManager
    /// Called after the location was taken from a program, with its identifier, or from all.
    private let onWithdrawal: @Sendable (String?) async -> Void
    private var user: WireUser
    private var services: WireServices?
    private var programs: [String: WireProgram] = [:]
    private var prompts: [WirePrompt] = []
    private(set) var rules = WireRules()
    private let placeMap: PlaceMap
    private var problem: String?
    /// Waits for the next change that comes without an event.
    private var review: Task<Void, Never>?

    init(
        manager: LocationServiceManager, userID: Int, applications: Applications, placeMap: PlaceMap, logger: Logger,
        onWithdrawal: @escaping @Sendable (String?) async -> Void
    ) {
        hub = PageHub(logger: logger)
        (self.manager, self.applications, self.placeMap) = (manager, applications, placeMap)
        self.onWithdrawal = onWithdrawal
        user = WireUser(id: userID, isAdministrator: userID == 0)
        placeMap.onMove = { [weak self] place in
            // An unstructured task: the map's delegate is synchronous.
            Task { await self?.move(place) }
        }
        placeMap.onAdd = { [hub] coordinate in
            hub.broadcast(.newPlace, ["position": "\(coordinate.latitude), \(coordinate.longitude)"])
        }
    }

    // MARK: Following the service

    /// Follows the service until the task is cancelled, over its restarts.
    func follow() async {
        var backOff = BackOff(from: .milliseconds(100), to: .seconds(5))
        while !Task.isCancelled {
            do throws(LocationError) {
                for try await changed in try await manager.changes() {
                    try await refresh(changed)
                    set(problem: nil)
                    backOff.reset()
                }
                set(problem: "The location service has ended. Reconnecting…")
            } catch {
                set(problem: error.description)
            }
            // A cancellation meanwhile ends the loop by its condition.
            try? await Task.sleep(for: backOff.next(random: .random(in: 0...1)))
        }
        review?.cancel()
    }

    /// Reads the changed parts again, and sends the differences.
    private func refresh(_ parts: Set<LocationServiceManager.Part>) async throws(LocationError) {
        if parts.contains(.services) {
            let status = try await manager.status()
            user.isAdministrator = user.isAdministrator || status.deliveries != nil
            let new = WireServices(status)
            if new != services {
                services = new
                hub.broadcast(.services, new)
            }
        }
        if parts.contains(.prompts) {
            // Root gets those of all users.
            let new = try await manager.prompts().filter { $0.userID == user.id }.map(WirePrompt.init)
            if new != prompts {
                prompts = new
                hub.broadcast(.prompts, ["prompts": new])
            }
        }
        if parts.contains(.rules) { try await refreshRules() }
        if !parts.isDisjoint(with: [.clients, .accesses, .services, .rules]) { try await refreshPrograms() }
    }

    private func refreshRules() async throws(LocationError) {
        let new = WireRules(rules: try await manager.rules(), places: try await manager.places())
        placeMap.show(new.places)
        guard new != rules else { return }
        rules = new
        hub.broadcast(.rules, new)
    }

    private func refreshPrograms() async throws(LocationError) {
        let now = Timestamp.now()
        let clients = try await manager.clients()
        let new = Dictionary(
            clients.map { ($0.client, WireProgram($0, applications.application(of: $0), at: now)) }
        ) { $1 }
        let changed = new.values.filter { programs[$0.id] != $0 }
        let removed = programs.keys.filter { new[$0] == nil }
        programs = new
        if !changed.isEmpty || !removed.isEmpty {
            hub.broadcast(.programs, WireChanges(changed: changed, removed: removed))
        }
        review?.cancel()
        guard let next = new.values.compactMap(\.nextChange).min() else { return }
        // An unstructured task, which the next refresh replaces.
        review = Task { [weak self] in
            try? await Task.sleep(for: max(.milliseconds(100), next.duration(since: now)))
            guard !Task.isCancelled else { return }
            // A failure ends the stream of changes as well, which reports it.
            try? await self?.refreshPrograms()
        }
    }

    private func set(problem: String?) {
        guard self.problem != problem else { return }
        self.problem = problem
        hub.broadcast(.problem, ["problem": problem])
    }

    // MARK: Pages

    /// Connects a page; `nil` if there are too many.
    func connect(over server: ObjectIdentifier, by session: BrowserSession) -> Page? {
        hub.connect(over: server, by: session) { [weak self] page in
            guard let self else { return ByteBuffer() }
            let state = WireState(
                page: page.id, user: user, services: services, programs: programs.values.sorted { $0.id < $1.id },
                prompts: prompts, rules: rules, problem: problem)
            return try WireEvent.encode(.state, state, revision: hub.revision)
        }
    }

    // MARK: Decisions and questions

    /// Makes a decision about a program.
    func decide(_ decision: WireDecision) async throws(LocationError) -> WireOutcome {
        let outcome: LocationServiceManager.Outcome
        var end: Timestamp?
        switch (decision.authorization, decision.accuracy) {
        case (let authorization?, nil):
            if let seconds = decision.seconds {
                guard WireDecision.seconds.contains(seconds) else { throw .invalidParameter(name: "seconds") }
                end = Timestamp.now().advanced(by: .seconds(seconds))
            }
            outcome = try await manager.setAuthorization(authorization, of: decision.client, until: end)
            if authorization == .denied { await onWithdrawal(decision.client) }
        case (nil, let accuracy?):
            outcome = try await manager.setAccuracy(accuracy, of: decision.client)
        default: throw .invalidParameter(name: "authorization")
        }
        return WireOutcome(status: outcome.status, accuracy: outcome.accuracy, until: end, limits: outcome.limits)
    }

    /// Answers a prompt.
    func answer(_ answer: WireAnswer) async throws(LocationError) { try await manager.answer(answer.id, answer.choice) }

    /// Switches location services.
    func set(_ setting: WireSwitch) async throws(LocationError) {
        try await manager.setEnabled(setting.isEnabled, forSystem: setting.isSystem ?? false)
        if !setting.isEnabled { await onWithdrawal(nil) }
    }

    /// Changes the user's rules. The service's stream of changes reports it.
    func change(_ change: WireRuleChange) async throws(LocationError) {
        if let rule = change.add { _ = try await manager.addRule(rule) }
        if let rule = change.remove { try await manager.removeRule(rule) }
    }

    /// Removes one of the user's places.
    func removePlace(_ name: String) async throws(LocationError) { try await manager.removePlace(name) }

    /// Puts a place where the user has moved it on the map. If that fails it is back where it was.
    private func move(_ place: LocationServiceManager.Place) async {
        do throws(LocationError) {
            try await manager.addPlace(place, replaces: true)
            set(problem: nil)
        } catch {
            set(problem: error.description)
            placeMap.show([])
            placeMap.show(rules.places)
        }
    }

    /// The times within which accesses are joined to one: less than a pixel of the page's charts.
    private static let (dayGap, weekGap) = (90, 900)

    /// Finds when a program had the location in the last 24 hours and 7 days.
    func timeline(of client: String) async throws(LocationError) -> WireTimeline {
        let now = Timestamp.now()
        func history(days: Int, joining gap: Int) async throws(LocationError) -> [LocationServiceManager.Access] {
            try await manager.history(
                client: client, since: now.advanced(by: .seconds(-86_400 * days)), joining: gap, limit: 1000)
        }
        return WireTimeline(
            day: try await history(days: 1, joining: Self.dayGap),
            week: try await history(days: 7, joining: Self.weekGap),
            steps: try await manager.explain(client: client).steps)
    }
}

extension WireEvent.Name {
    static let services = Self("services")
    static let programs = Self("programs")
    static let problem = Self("problem")
    static let prompts = Self("prompts")
    static let rules = Self("rules")
    static let newPlace = Self("newPlace")
}
