import CommandLineSupport
import Glibc
import LocationClient
import LocationInterface
import LocationModel
import LocationServiceManagement

/// The live view in the terminal: combines the events of the service, the keyboard and the terminal, and draws after
/// each.
actor FollowView {
    /// The reason why the view ended.
    enum End: Sendable {
        /// The user quit, or the number of frames is reached.
        case quit
        /// The user is being asked, which needs the terminal in its usual mode.
        case asking
        /// The program has no access, with the reason.
        case refused(String)
        /// The process was sent a signal that ends it.
        case signal(Int32)
    }

    private let manager: LocationManager
    private let rate: Int
    private let terminal: FullScreen
    private let charset: Charset
    private var state: FollowState
    private var painter: ScreenPainter
    private var keys = KeyParser()
    private var framesLeft: Int
    private let groundLoader = GroundLoader()
    private var groundLoad = Load<GroundRequest>()
    private var worldLoad = Load<Bool>()
    private let placeLoader = PlaceLoader()
    private var placeLoad = Load<TrackingFrame>()
    private var recording: (file: TrackRecording, task: Task<Void, any Error>)?
    private let start = ContinuousClock.now
    /// The events of the terminal, while the view is shown.
    private var events: TerminalEvents?

    /// A view of `terminal` that ends after `count` frames.
    init(
        socket: String?, rate: Int, count: Int?, mode: UserTracking.Mode, style: DisplayStyle,
        terminal: sending FullScreen,
        environment: (String) -> String?
    ) {
        manager = LocationManager(socketPath: socket)
        self.rate = rate
        self.terminal = terminal
        charset = .of(environment)
        state = FollowState(mode: mode)
        state.display = style
        painter = ScreenPainter(usesColours: (environment("NO_COLOR") ?? "").isEmpty)
        framesLeft = count ?? .max
    }

    /// Takes the terminal and shows the view until there is a reason to leave it. The terminal is given back before
    /// this returns or throws.
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
            group.addTask { await self.watchReceiver() }
            defer {
                // Before the other tasks are awaited, in case one of them does not end at once.
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
            let obstacle = update.frame == nil ? await update.obstacle(socket: manager.socketPath) : nil
            state.receive(update, obstacle: obstacle, at: now)
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

    /// Draws once a second, because times change without events, too.
    private func keepTime() async -> End? {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            state.tick(at: now)
            draw()
        }
        return nil
    }

    /// Queries the receiver in use while the view is shown. Errors are ignored, because the stream of frames reports them.
    private func watchReceiver() async -> End? {
        let service = LocationServiceManager(socketPath: manager.socketPath)
        repeat {
            let receivers = try? await service.status(satellites: true).sources.flatMap(\.receivers)
            state.receiver = receivers?.first { $0.isCurrent }
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

    /// Takes the terminal again after another program had it.
    private func takeBack() -> Bool {
        painter.forget()
        return terminal.enter()
    }

    /// Draws the changes. While the terminal is still taking the last frame it draws nothing, and then the newest
    /// state.
    private func draw() {
        guard let events else { return }
        guard !terminal.isBlocked else { return }
        loadGround()
        loadPlace()
        terminal.write(painter.paint(FollowScreen.draw(state, size: terminal.size, charset: charset, at: now)))
        if terminal.isBlocked { events.sayWhenWritable() }
    }

    /// Looks up the place's name once the user has moved.
    private func loadPlace() {
        guard state.condition == .following, let frame = state.frame, placeLoad.begin(frame) else { return }
        // A task of its own, because the view continues while files are read. It ends with them.
        Task {
            do {
                state.place = try await placeLoader.name(at: frame.coordinate, accuracy: frame.horizontalAccuracy)
            } catch {
                state.say("\(error)", at: now)
            }
            placeLoad.end()
        }
    }

    /// Reads the ground that the view is about to show, if it has changed.
    private func loadGround() {
        guard let camera = state.camera else { return loadWorld() }
        let canvas = DotCanvas(size: FollowScreen.mapSize(state, size: terminal.size), charset: charset)
        let request = GroundRequest(camera, width: canvas.width, height: canvas.height)
        guard groundLoad.begin(request) else { return }
        // A task of its own, because the view continues while files are read. It ends with them.
        Task {
            let ground = await groundLoader.load(request)
            groundLoad.end()
            state.ground = ground
            draw()
        }
    }
}

extension FollowView {
    /// Reads the outline of the world, which is shown before the first location.
    private func loadWorld() {
        guard worldLoad.begin(true) else { return }
        // A task of its own, because the view continues while a file is read. It ends with it.
        Task {
            state.world = await groundLoader.loadWorld()
            worldLoad.end()
            draw()
        }
    }
}

/// A load in the background, which is not begun again while it lasts, nor for the request that it was last begun for.
private struct Load<Request: Equatable> {
    private var last: Request?
    private var isRunning = false

    /// Begins a load, if there is reason to.
    mutating func begin(_ request: Request) -> Bool {
        guard !isRunning, request != last else { return false }
        (last, isRunning) = (request, true)
        return true
    }

    mutating func end() { isRunning = false }
}

extension FollowView {
    /// Starts recording into a file that was just created.
    func record(into file: TrackRecording) {
        state.recording = file.path
        // A task of its own, because it begins and ends with a key, and continues while the user is asked.
        recording = (file, Task { try await self.keepRecording(file) })
    }

    /// Ends the recording, if there is one. Returns a sentence about the result.
    func finishRecording() async throws -> String? {
        guard let (file, task) = recording else { return nil }
        recording = nil
        state.recording = nil
        task.cancel()
        try await task.value
        return try await file.finish()
    }

    /// Records. An error is shown at once, and again at the end.
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
