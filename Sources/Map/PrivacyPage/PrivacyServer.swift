import DesktopEntries
import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import LocationClient
import LocationMap
package import LocationServiceManagement
package import Logging
import MapTiles
import NIOCore
import POSIXSupport
import PageServing

/// The server of the page of `locationctl privacy`, for the user that runs the program.
package struct PrivacyServer: Sendable {
    private let model: PrivacyModel
    private let placeMap: PlaceMap
    private let server: PageServer<PrivacyResponder>

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - commands: The commands whose reports the page shows.
    ///   - port: A TCP port of the loopback interface, 1 to 65535; 0 selects a free one.
    ///   - idleLimit: The time after which the server ends if no page is open; `nil` for never.
    ///   - onWithdrawal: Called after the location was taken from a program, with its identifier, or with `nil` from all.
    /// - Throws: `MapData.Missing` if the package locationd-map is not installed.
    @MainActor
    package init(
        manager: LocationServiceManager, commands: PageCommands, port: Int, idleLimit: Duration?, logger: Logger,
        onWithdrawal: @escaping @Sendable (String?) async -> Void
    ) throws {
        try self.init(
            manager: manager, commands: commands, port: port, idleLimit: idleLimit, logger: logger, data: MapData(),
            directories: ApplicationDirectories(), onWithdrawal: onWithdrawal)
    }

    @MainActor
    init(
        manager: LocationServiceManager, commands: PageCommands, port: Int, idleLimit: Duration?, logger: Logger,
        data: MapData,
        directories: ApplicationDirectories, onWithdrawal: @escaping @Sendable (String?) async -> Void
    ) throws {
        placeMap = try PlaceMap(data: data, logger: logger)
        let model = PrivacyModel(
            manager: manager, userID: Int(getuid()), applications: Applications(directories), placeMap: placeMap,
            logger: logger, onWithdrawal: onWithdrawal)
        let sessions = BrowserSessionStore()
        let owner = ObjectIdentifier(sessions)
        let files = PageFiles(directory: data.directory + "/page")
        let responder = PrivacyResponder(
            model: model, commands: commands, map: placeMap.page, server: owner,
            gate: PageGate(
                sessions: sessions, files: files, newAddress: "privacy-new-address.html", framing: .framesOthers),
            logger: logger)
        self.model = model
        server = PageServer(
            port: port, sessions: sessions, hub: model.hub, notices: Notices(logger: logger), responder: responder,
            idleLimit: idleLimit
        ) { model.hub.end(owner) }
    }

    /// Returns an address that shows the page in a browser of this user, once; `nil` while the server is not running.
    package func makeAddress() -> String? { server.makeAddress() }

    /// Runs the server until the process receives SIGINT or SIGTERM, the task is cancelled or the limit of idleness is reached.
    ///
    /// - Parameter onReady: Called on the main actor with an address once the server listens.
    /// - Throws: `PortError` if the port is in use.
    package func run(onReady: @escaping @Sendable @MainActor (String) -> Void) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { [model] in await model.follow() }
            group.addTask { [page = placeMap.page] in try await page.run() }
            group.addTask { [server] in try await server.run(onReady: onReady) }
            defer { group.cancelAll() }
            // Following ends only by cancellation.
            try await group.next()
        }
    }
}

/// Responds to the requests of the privacy page, which a ``PageGate`` admits.
struct PrivacyResponder: HTTPResponder {
    let model: PrivacyModel
    let commands: PageCommands
    /// The map of places, which the page shows in a frame.
    let map: MapPage
    /// The identity of the server, which its pages have.
    let server: ObjectIdentifier
    let gate: PageGate
    let logger: Logger

    /// The size limit of a question in bytes: more than the longest identifier.
    private static let longestQuestion = 16_384

    @Sendable
    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        if let response = try await map.response(to: request) { return response }
        return try await gate.respond(to: request) { route, session in try await answer(route, request, session) }
    }

    private func answer(
        _ route: PrivacyRoute, _ request: Request, _ session: BrowserSession
    ) async throws -> Response {
        switch route {
        case .index: return try await gate.file("privacy.html", request)
        case .file(let name): return try await gate.file(name, request)
        case .icon(let name): return try await icon(name)
        case .events:
            guard let page = await model.connect(over: server, by: session) else {
                return Response(status: .serviceUnavailable)
            }
            return page.response(to: request) { [model] in model.hub.disconnect($0) }
        case .decisions:
            let decision: WireDecision = try await question(request)
            return try await Self.reply { () throws(LocationError) in try await model.decide(decision) }
        case .services:
            let setting: WireSwitch = try await question(request)
            return try await Self.reply { () throws(LocationError) in
                try await model.set(setting)
                return setting
            }
        case .answers:
            let answer: WireAnswer = try await question(request)
            return try await Self.reply { () throws(LocationError) in
                try await model.answer(answer)
                return answer
            }
        case .reports:
            let question: WireReportQuestion = try await question(request)
            return try await report(question)
        case .rules:
            let change: WireRuleChange = try await question(request)
            return try await Self.reply { () throws(LocationError) in
                try await model.change(change)
                return change
            }
        case .places: return try await places(try await question(request))
        case .trials:
            let trial: WireTrial = try await question(request, upTo: PageCommands.longestTrack)
            let rules = await model.rules
            return try await Self.items { [commands] in try commands.trial(trial, rules) }
        case .map: return try Response(json: ["path": map.makePath()])
        case .timeline:
            let question: WireQuestion = try await question(request)
            return try await Self.reply { () throws(LocationError) in try await model.timeline(of: question.client) }
        }
    }

    private func question<Value: Decodable>(
        _ request: Request, upTo limit: Int = longestQuestion
    ) async throws(RefusedPost) -> Value {
        try await gate.decode(request, upTo: limit) {
            try JSONDecoder().decode(Value.self, from: Data($0))
        }
    }

    /// The response with an answer, or with the reason for its absence.
    private static func reply<Value: Encodable>(
        _ body: () async throws(LocationError) -> Value
    ) async throws -> Response {
        let value: Value
        do throws(LocationError) {
            value = try await body()
        } catch {
            return try Response(json: ["error": error.description])
        }
        return try Response(json: value)
    }

    /// The response with the report of another command, after a share was stopped if that is wanted.
    private func report(_ question: WireReportQuestion) async throws -> Response {
        try await Self.items { [commands] in
            if let share = question.stop { try commands.stop(share) }
            return try commands.report(question.report)
        }
    }

    /// The response after a change of the user's places.
    private func places(_ change: WirePlaceChange) async throws -> Response {
        if let place = change.add {
            return try await Self.items { [commands] in
                try commands.add(place)
                return "[]"
            }
        }
        return try await Self.reply { () throws(LocationError) in
            if let name = change.remove { try await model.removePlace(name) }
            return change
        }
    }

    /// The response with what a command has found, a JSON array, or with the reason for which there is nothing.
    private static func items(_ find: @escaping @Sendable () throws -> String) async throws -> Response {
        do {
            let items = try await FileWork.reports.run { try find() }
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: #"{"items":\#(items)}"#)))
        } catch let failure as PageCommands.Failure {
            return try Response(json: ["error": failure.sentence])
        }
    }

    /// The response with the icon of a program, in which nothing is executed.
    private func icon(_ name: String) async throws -> Response {
        guard let path = await model.applications.icons[name] else { return Response(status: .notFound) }
        do {
            let bytes = try await FileWork.tiles.run {
                try SmallFile.read(path, limit: ApplicationDirectories.longestIcon)
            }
            var response = Response(
                ByteBuffer(bytes: bytes), type: path.hasSuffix(".svg") ? "image/svg+xml" : "image/png",
                caching: "private, max-age=3600")
            response.headers[.contentSecurityPolicy] =
                "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
            return response
        } catch {
            logger.debug("The icon \(path) cannot be read: \(error)")
            return Response(status: .notFound)
        }
    }
}
