import LocationClient
import LocationInterface
import LocationServiceManagement
import Logging
import PageServing

/// The stream of the user's location, and of the prompts about it, to a map.
@MainActor
final class UserFeed {
    private weak let user: UserLayer?
    private let manager: LocationManager
    private var follow: Task<Void, Never>?
    private var ask: Task<Void, Never>?

    /// The frames a second. Between them the page moves the dot on by its velocity; a compass needs no more than these.
    static let rate = 10

    init(user: UserLayer, manager: LocationManager, answersPrompts: Bool) {
        self.user = user
        self.manager = manager
        // Unstructured tasks, because they last as long as the map shows the user and belong to no caller.
        follow = Task { [weak self] in await self?.followUser() }
        guard answersPrompts else { return }
        ask = Task { [weak self] in await self?.showPrompts() }
    }

    func stop() {
        follow?.cancel()
        ask?.cancel()
    }

    private func followUser() async {
        while !Task.isCancelled {
            do {
                for try await update in manager.followUpdates(rate: Self.rate) {
                    guard !Task.isCancelled else { return }
                    user?.receive(update)
                }
                return
            } catch {
                guard !Task.isCancelled else { return }
                user?.receive(LocationError.wrapping(error))
            }
            // The cause may be removed meanwhile. A cancellation ends the loop by its condition.
            try? await Task.sleep(for: .seconds(3))
        }
    }

    /// Shows the service's prompts about this program, while no agent does.
    private func showPrompts() async {
        let service = LocationServiceManager(socketPath: manager.socketPath)
        var lastProblem: LocationError?
        while !Task.isCancelled {
            do {
                for try await event in try await service.agentEvents(isFallback: true) {
                    lastProblem = nil
                    if let prompt = event.prompt { user?.show(AgentPrompt(prompt: prompt, service: service)) }
                    if let id = event.withdrawn { user?.withdraw(id) }
                }
            } catch {
                guard !Task.isCancelled else { return }
                let problem = LocationError.wrapping(error)
                // The agents are fixed while a program runs, so a refusal is final.
                if case .permissionDenied = problem { return }
                // Logged once, not at each attempt; an unavailable service is reported with the frames.
                if case .serviceUnavailable = problem {
                } else if problem != lastProblem {
                    user?.map?.hub.logger.warning(
                        "Questions about the location are not shown on the map for now: \(problem)")
                }
                lastProblem = problem
            }
            user?.withdrawPrompts()
            try? await Task.sleep(for: .seconds(3))
        }
    }
}

/// A prompt, with the manager that receives its answer.
struct AgentPrompt {
    let prompt: AgentInterface.Prompt
    let service: LocationServiceManager

    var wire: WirePrompt { WirePrompt(prompt) }
}
