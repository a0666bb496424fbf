import CommandLineSupport
import Localization
import LocationClient
import LocationInterface
import LocationServiceManagement
import StatusNotifier

/// Shows in the desktop's panel which programs are given the location, and performs what its menu says: performs the choices of its
/// `IndicatorState`.
actor Indicator {
    private static let privacyPage = PackagedProgram(
        file: "locationctl-map", subject: "The page", package: "locationd-map")

    private let manager: LocationServiceManager
    private let notifier = StatusNotifier()
    private var state = IndicatorState(hasPrivacyPage: Indicator.privacyPage.path != nil)
    /// Shows a notification, with its summary and its body.
    private let notify: @Sendable (String, String) -> Void

    /// - Parameter notify: Shows a notification, with its summary and its body.
    init(manager: LocationServiceManager, notify: @escaping @Sendable (String, String) -> Void) {
        (self.manager, self.notify) = (manager, notify)
    }

    /// Runs until the task is cancelled.
    func run() async {
        await withTaskGroup { group in
            group.addTask { await self.follow() }
            group.addTask { await self.performChoices() }
            await group.waitForAll()
        }
    }

    private func follow() async {
        defer { notifier.stop() }
        do throws(LocationError) {
            try await AccessFollower(manager: manager).run { event in
                switch event {
                case .accesses(let accesses): show(accesses)
                // The agent's own connection reports the end of the service.
                case .lost: show([])
                }
            }
        } catch {
            // The service refuses this program as an agent as well, which ends it; or it is of an earlier release.
            Terminal.complain("No indicator is shown: \(error.description.shown(limit: 1024))")
        }
    }

    private func show(_ accesses: [LocationServiceManager.CurrentAccess]) { notifier.show(state.item(for: accesses)) }

    private func performChoices() async {
        var hasFailed = false
        for await event in notifier.events {
            switch event {
            case .chosen(let entry): if let choice = state.choice(entry) { await perform(choice) }
            case .registered: hasFailed = false
            case .failed(let reason):
                if !hasFailed { Terminal.complain("The indicator could not be shown: \(reason.shown(limit: 1024))") }
                hasFailed = true
            }
        }
    }

    private func perform(_ choice: IndicatorState.Choice) async {
        switch choice {
        case .stop(let client, let name):
            do throws(LocationError) {
                _ = try await manager.setAuthorization(.denied, of: client)
                if client == SharingProgram.client, let path = SharingProgram.program.path {
                    UserUnit.launch([path, "forget"])
                }
            } catch {
                notify(
                    Catalogue.current.text("{name} could not be stopped", ["name": name]),
                    error.description.shown(limit: 1024))
            }
        case .showPrivacyPage: if let path = Self.privacyPage.path { UserUnit.launch([path, "privacy"]) }
        }
    }
}
