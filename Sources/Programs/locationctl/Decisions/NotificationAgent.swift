import CommandLineSupport
import DesktopNotifications
@preconcurrency import Dispatch
import Glibc
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement
import Pacing
import TimeZones

/// Shows prompts as notifications and sends the answers: performs the actions of its `NotificationState`.
actor NotificationAgent {
    private let manager: LocationServiceManager
    private let notifications = NotificationService()
    private let timeDate = TimeDateService()
    private var state = NotificationState()
    private var registration: Task<Void, Never>?
    /// The reason why the service refuses this program as an agent.
    private var refusal: LocationError?

    init(manager: LocationServiceManager) { self.manager = manager }

    /// Runs until a signal ends it. Throws at the end of the session, or if this program may not be an agent.
    func run() async throws {
        let signals = [SIGINT, SIGTERM, SIGHUP].map(stop(on:))
        defer { signals.forEach { $0.cancel() } }
        do {
            try await notifications.start()
        } catch {
            throw LocationError.refused(
                message: "There is no session bus to show notifications on (\(error)). \(NotificationState.advice)")
        }
        defer { registration?.cancel() }
        let indicator = Indicator(manager: manager) { [notifications] summary, body in
            // No code waits for it, so its number is not that of a prompt.
            notifications.show(DesktopNotification(summary: summary, body: body.markupEscaped), tag: 0)
        }
        // A task of its own, because it continues without a notification service.
        let showing = Task { await indicator.run() }
        defer { showing.cancel() }
        // Likewise.
        let watching = Task { await self.watchTimeZone() }
        defer { watching.cancel() }
        for await event in notifications.events {
            if let refusal { throw refusal }
            if case .ended(let reason) = event {
                throw LocationError.refused(message: "The session’s bus has ended: \(reason.shown())")
            }
            await perform(state.receive(event))
        }
        if let refusal { throw refusal }
    }

    /// Ends `run` at a signal, after closing all notifications.
    private func stop(on number: Int32) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { @Sendable [notifications] in notifications.stop() }
        source.resume()
        return source
    }

    private func perform(_ actions: [NotificationState.Action]) async {
        for action in actions {
            switch action {
            case .register:
                // A task of its own, because it is cancelled without a notification service while the events go on.
                registration = Task { await self.keepRegistered() }
            case .unregister:
                registration?.cancel()
                registration = nil
            case .show(let notification, let tag): notifications.show(notification, tag: tag)
            case .close(let tag): notifications.close(tag: tag)
            case .answer(let prompt, let choice):
                await answer(prompt) { [manager] () throws(LocationError) in try await manager.answer(prompt, choice) }
            case .allowForAnHour(let prompt, let client, let userID):
                await answer(prompt) { [manager] () throws(LocationError) in
                    _ = try await manager.setAuthorization(
                        .authorizedWhenInUse, of: client, until: Timestamp.now().advanced(by: .seconds(3600)),
                        user: userID == Int(getuid()) ? nil : userID)
                }
            case .undo(let resets): await undo(resets)
            case .setTimeZone(let zone):
                // A task of its own, because the user may be asked for a password meanwhile.
                Task { await self.setTimeZone(zone) }
            case .say(let words): Terminal.complain(words.shown(limit: 1024))
            }
        }
    }

    /// Stays registered as an agent, also with the next location service after a restart, until it is cancelled or refused.
    private func keepRegistered() async {
        var backOff = BackOff(from: .seconds(1), to: .seconds(15))
        var hasFailed = false
        while !Task.isCancelled {
            var reason = "The location service has ended."
            do {
                for try await event in try await manager.agentEvents() {
                    backOff.reset()
                    hasFailed = false
                    if let unit = event.start { UserUnit.start(unit) }
                    await perform(state.receive(event, now: .now))
                }
            } catch {
                guard !Task.isCancelled else { return }
                guard case .serviceUnavailable = error else { return refuse(error) }
                reason = error.description
            }
            // The stream ends without an error when it is cancelled.
            guard !Task.isCancelled else { return }
            await perform(state.serviceWentAway())
            if !hasFailed { Terminal.complain("\(reason.shown()) Waiting for it.") }
            hasFailed = true
            // The loop's condition handles cancellation.
            try? await Task.sleep(for: backOff.next())
        }
    }

    private func refuse(_ error: LocationError) {
        refusal = error
        notifications.stop()
    }

    private func undo(_ resets: [AgentInterface.Reset]) async {
        for reset in resets {
            do throws(LocationError) {
                _ = try await manager.setAuthorization(
                    reset.wasAlways ? .authorizedAlways : .authorizedWhenInUse, of: reset.client)
            } catch {
                Terminal.complain("\(reset.client) was not allowed again: \(error)".shown(limit: 1024))
            }
        }
    }

    /// Shows each change that the follower of the time zone makes, until it is cancelled.
    private func watchTimeZone() async {
        // Without the system's bus there is no follower either.
        guard (try? await timeDate.start()) != nil else { return }
        defer { timeDate.stop() }
        var last = TimeZoneChange.latest
        for await _ in timeDate.changes {
            guard let change = TimeZoneChange.latest, change != last else { continue }
            last = change
            // The change was made, and by the follower.
            guard change.new == TimeZoneDatabase().machineZone else { continue }
            await perform(state.receive(change))
        }
    }

    private func setTimeZone(_ zone: String) async {
        do {
            try await timeDate.setTimeZone(zone, isInteractive: true)
        } catch {
            let reason = (error as? TimeDateService.Failure)?.text ?? "\(error)"
            Terminal.complain("The time zone was not set to \(zone): \(reason)".shown(limit: 1024))
        }
    }

    private func answer(_ prompt: Int, by decision: () async throws(LocationError) -> Void) async {
        do throws(LocationError) {
            try await decision()
        } catch {
            await perform(state.answerFailed(prompt, reason: "\(error)"))
        }
    }
}
