import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix
import POSIXSupport

/// Chromium without a window, controlled through a pair of pipes (Chrome DevTools Protocol with
/// `--remote-debugging-pipe`: JSON messages, each terminated by a NUL byte), so that no port is open to others.
final class HeadlessBrowser {
    private typealias Connection = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    private let process: pid_t
    private let profile: String
    private let connection: Connection

    /// The reply to a command of the protocol.
    private struct Answer: Decodable {
        struct Result: Decodable {
            var targetId: String?
            var sessionId: String?
            var data: String?
        }
        struct Failure: Decodable { var message: String }
        var id: Int?
        var result: Result?
        var error: Failure?
    }

    private struct Command: Encodable {
        struct Parameters: Encodable {
            var url: String?
            var targetId: String?
            var flatten: Bool?
            var width: Int?
            var height: Int?
            var deviceScaleFactor: Double?
            var mobile: Bool?
            var format: String?
        }
        var id: Int
        var sessionId: String?
        var method: String
        var params = Parameters()
    }

    /// Takes a picture of the page at `address` once `isReady` returns, and terminates the browser.
    static func takePicture(
        of address: String, width: Int, height: Int, scale: Double, isReady: @Sendable () async -> Void
    ) async throws -> [UInt8] {
        let browser = try await HeadlessBrowser()
        defer { browser.end() }
        return try await browser.connection.executeThenClose { inbound, outbound in
            var answers = inbound.makeAsyncIterator()
            var received = ByteBuffer()
            var lastID = 0
            func ask(_ command: Command) async throws -> Answer.Result {
                var command = command
                lastID += 1
                command.id = lastID
                var bytes = ByteBuffer(bytes: try JSONEncoder().encode(command))
                bytes.writeInteger(UInt8(0))
                try await outbound.write(bytes)
                while true {
                    while let end = received.readableBytesView.firstIndex(of: 0) {
                        let length = end - received.readerIndex
                        let message = received.readBytes(length: length) ?? []
                        received.moveReaderIndex(forwardBy: 1)
                        let answer = try JSONDecoder().decode(Answer.self, from: Data(message))
                        guard answer.id == lastID else { continue }
                        if let error = answer.error { throw SnapshotError.browserFailed(reason: error.message) }
                        return answer.result ?? Answer.Result()
                    }
                    guard var more = try await answers.next() else {
                        throw SnapshotError.browserFailed(reason: "it ended")
                    }
                    received.writeBuffer(&more)
                }
            }
            var create = Command(id: 0, method: "Target.createTarget")
            create.params.url = "about:blank"
            let target = try await ask(create).targetId
            var attach = Command(id: 0, method: "Target.attachToTarget")
            (attach.params.targetId, attach.params.flatten) = (target, true)
            let session = try await ask(attach).sessionId
            var size = Command(id: 0, sessionId: session, method: "Emulation.setDeviceMetricsOverride")
            (size.params.width, size.params.height) = (width, height)
            (size.params.deviceScaleFactor, size.params.mobile) = (scale, false)
            _ = try await ask(size)
            var navigate = Command(id: 0, sessionId: session, method: "Page.navigate")
            navigate.params.url = address
            _ = try await ask(navigate)
            await isReady()
            var capture = Command(id: 0, sessionId: session, method: "Page.captureScreenshot")
            capture.params.format = "png"
            guard let text = try await ask(capture).data, let data = Data(base64Encoded: text) else {
                throw SnapshotError.browserFailed(reason: "it gave no picture")
            }
            return Array(data)
        }
    }

    private init() async throws {
        guard let program = Self.find() else { throw SnapshotError.noBrowser }
        var template = Array("/tmp/locationd-snapshot-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Self.failure(errno) }
        let profile = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The open descriptors, to be closed if the next step fails.
        var descriptors: [Int32] = []
        var process: pid_t?
        do {
            let commands = try Self.openPipe(keptIn: &descriptors)
            let answers = try Self.openPipe(keptIn: &descriptors)
            var words = [
                program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)", "--no-first-run",
                "--disable-dev-shm-usage", "--hide-scrollbars", "--mute-audio", "--enable-unsafe-swiftshader",
            ]
            // Chromium's sandbox does not support root.
            if getuid() == 0 { words.append("--no-sandbox") }
            let started = try Self.spawn(words, input: commands.reading, output: answers.writing)
            process = started
            for descriptor in [commands.reading, answers.writing] { close(descriptor) }
            descriptors = [answers.reading, commands.writing]
            connection = try await NIOPipeBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .takingOwnershipOfDescriptors(input: answers.reading, output: commands.writing) { channel in
                    channel.eventLoop.makeCompletedFuture { try Connection(wrappingChannelSynchronously: channel) }
                }
            self.process = started
            self.profile = profile
        } catch {
            // If the start fails, the descriptors are still ours.
            for descriptor in descriptors { close(descriptor) }
            Self.end(process, profile: profile)
            throw error
        }
    }

    /// Opens a pipe with descriptors above 4, because the browser receives its own at 3 and 4.
    private static func openPipe(keptIn descriptors: inout [Int32]) throws -> (reading: Int32, writing: Int32) {
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else { throw failure(errno) }
        defer { for descriptor in pair { close(descriptor) } }
        let high = pair.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        let code = errno
        descriptors += high.filter { $0 >= 0 }
        guard high.allSatisfy({ $0 >= 0 }) else { throw failure(code) }
        return (high[0], high[1])
    }

    private static func failure(_ code: Int32) -> SnapshotError {
        .browserFailed(reason: String(cString: strerror(code)))
    }

    private static func spawn(_ words: [String], input: Int32, output: Int32) throws -> pid_t {
        // The browser's output is discarded.
        do throws(Errno) {
            return try ProgramLaunch(words, descriptors: [3: input, 4: output]).start()
        } catch {
            throw failure(error.code)
        }
    }

    /// Terminates the browser, and deletes its files.
    private func end() { Self.end(process, profile: profile) }

    private static func end(_ process: pid_t?, profile: String) {
        if let process {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        try? FileManager.default.removeItem(atPath: profile)
    }

    private static func find() -> String? {
        let path = getenv("PATH").flatMap { String(validatingCString: $0) } ?? "/usr/bin:/bin"
        for name in ["chromium", "chromium-browser", "google-chrome"] {
            for directory in path.split(separator: ":") where access("\(directory)/\(name)", X_OK) == 0 {
                return "\(directory)/\(name)"
            }
        }
        return nil
    }
}
