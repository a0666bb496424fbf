import CommandSupport
import Glibc
import LocationClient
import LocationInterface

/// The live view in the terminal: brings together what the service says, what is typed and what the terminal does, and
/// draws after each.
actor FollowView {
    /// Why the view was left.
    enum End: Sendable {
        /// The person wants no more, or has seen enough frames.
        case quit
        /// The user is being asked, which takes a terminal as it usually is.
        case asking
        /// The program may not know: why.
        case refused(String)
        /// The process was told to end.
        case signal(Int32)
    }

    private let manager: LocationManager
    private let serviceManager: LocationServiceManager
    private let rate: Int
    private let terminal: FullScreen
    private let charset: Charset
    private var state: FollowState
    private var painter: ScreenPainter
    private var keys = KeyParser()
    private var framesLeft: Int
    private let groundLoader = GroundLoader()
    /// What the ground was last wanted for, and whether it is being read.
    private var groundRequest: GroundRequest?
    private var isLoadingGround = false
    private var recording: (file: TrackRecording, task: Task<Void, any Error>)?
    private let start = ContinuousClock.now
    /// While the view is shown.
    private var events: TerminalEvents?

    /// A view of `terminal` that ends after `count` frames.
    init(
        socket: String?, rate: Int, count: Int?, mode: UserTracking.Mode, terminal: sending FullScreen,
        environment: (String) -> String?
    ) {
        manager = LocationManager(socketPath: socket)
        serviceManager = LocationServiceManager(socketPath: socket)
        self.rate = rate
        self.terminal = terminal
        charset = .of(environment)
        state = FollowState(mode: mode)
        painter = ScreenPainter(usesColours: (environment("NO_COLOR") ?? "").isEmpty)
        framesLeft = count ?? .max
    }

    /// Takes the terminal and shows the view until there is a reason to leave it. The terminal is given back before this
    /// returns or throws.
    func show() async throws -> End {
        let events = TerminalEvents(descriptor: terminal.descriptor)
        self.events = events
        defer {
            terminal.leave()
            events.stop()
            self.events = nil
        }
        guard terminal.enter() else {
            throw LocationError.unexpected(
                "This terminal cannot be used for a live view: \(String(cString: strerror(errno))).")
        }
        painter.forget()
        draw()
        return try await withThrowingTaskGroup(of: End?.self) { group in
            group.addTask { try await self.follow() }
            group.addTask { await self.listen(to: events) }
            group.addTask { await self.keepTime() }
            group.addTask { await self.watchSatellites() }
            defer {
                // Before the others are waited for, should one of them not end at once.
                terminal.leave()
                group.cancelAll()
            }
            while let end = try await group.next() {
                if let end { return end }
            }
            return .quit
        }
    }

    private var now: Duration { start.duration(to: .now) }

    private func follow() async throws -> End? {
        for try await update in manager.followUpdates(rate: rate) {
            state.receive(update, at: now)
            if update.authorizationRequestInProgress { return .asking }
            if update.authorizationDenied || update.authorizationRestricted {
                return update.sentence.map { .refused($0) }
            }
            draw()
            if update.frame != nil { framesLeft -= 1 }
            if framesLeft <= 0 { return .quit }
        }
        return nil
    }

    /// Once a second, as times go on also while nothing comes.
    private func keepTime() async -> End? {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            state.tick(at: now)
            draw()
        }
        return nil
    }

    /// Asks for the satellites while the view is shown. A service that does not answer says so by its frames.
    private func watchSatellites() async -> End? {
        repeat {
            let receivers = try? await serviceManager.status().source.receivers
            let receiver = receivers?.first { $0.isCurrent }
            if let used = receiver?.satellitesUsed, let seen = receiver?.satellitesSeen {
                state.satellites = FollowState.Satellites(used: used, seen: seen)
            } else {
                state.satellites = nil
            }
        } while (try? await Task.sleep(for: .seconds(3))) != nil
        return nil
    }

    private func listen(to events: TerminalEvents) async -> End? {
        for await event in events.events {
            switch event {
            case .typed(let bytes):
                for key in keys.read(bytes, at: now) {
                    if let end = await press(key) { return end }
                }
            case .writable:
                terminal.flush()
                if terminal.isBlocked { events.sayWhenWritable() }
            case .signal(SIGWINCH): break
            case .signal(SIGTSTP):
                terminal.leave()
                events.suspend()
                if !takeBack() { return .quit }
            case .signal(SIGCONT): if !takeBack() { return .quit }
            case .signal(let number): return .signal(number)
            case .hungUp: return .signal(SIGHUP)
            }
            draw()
        }
        return nil
    }

    private func press(_ key: Key) async -> End? {
        switch state.press(key, at: now) {
        case .quit: return .quit
        case .toggleRecording: await toggleRecording()
        case nil: break
        }
        return nil
    }

    /// Takes the terminal after somebody else has had it.
    private func takeBack() -> Bool {
        painter.forget()
        return terminal.enter()
    }

    /// Draws what changed. While the terminal still takes the last frame it draws nothing, and then the newest.
    private func draw() {
        guard let events else { return }
        guard !terminal.isBlocked else { return }
        loadGround()
        terminal.write(painter.paint(FollowScreen.draw(state, size: terminal.size, charset: charset, at: now)))
        if terminal.isBlocked { events.sayWhenWritable() }
    }

    /// Has the ground read that the view is about to show, if it is another.
    private func loadGround() {
        guard !isLoadingGround, let camera = state.camera else { return }
        let raster = Raster(size: FollowScreen.mapSize(state, size: terminal.size), charset: charset)
        let request = GroundRequest(camera, width: raster.width, height: raster.height)
        guard request != groundRequest else { return }
        groundRequest = request
        isLoadingGround = true
        // A task of its own, as the view goes on while files are read; it ends with them.
        Task {
            let ground = await groundLoader.load(request)
            isLoadingGround = false
            state.ground = ground
            draw()
        }
    }
}

extension FollowView {
    /// Begins to record into a file that was just made.
    func record(into file: TrackRecording) {
        state.recording = file.path
        // A task of its own, since it begins and ends with a key, and goes on while the user is asked something.
        recording = (file, Task { try await self.keepRecording(file) })
    }

    /// Ends the recording, if there is one. Says what came of it.
    func finishRecording() async throws -> String? {
        guard let (file, task) = recording else { return nil }
        recording = nil
        state.recording = nil
        task.cancel()
        try await task.value
        return try await file.finish()
    }

    /// Records; what keeps it from that is said at once, and again at the end.
    private func keepRecording(_ file: TrackRecording) async throws {
        do {
            try await file.run(manager)
        } catch {
            state.recording = nil
            state.say("Recording has ended: \(error)", at: now)
            throw error
        }
    }

    private func toggleRecording() async {
        do {
            if recording == nil {
                let file = try TrackRecording(creating: TrackRecording.pathForNow())
                record(into: file)
                state.say("Recording into \(file.path).", at: now)
            } else if let sentence = try await finishRecording() {
                state.say(sentence, at: now)
            }
        } catch {
            state.say("\(error)", at: now)
        }
    }
}
