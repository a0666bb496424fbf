import FoundationEssentials
import Glibc
import MapTiles
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
        var params: Parameters
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
            func ask(
                _ method: String, in session: String? = nil, _ parameters: Command.Parameters
            ) async throws -> Answer.Result {
                lastID += 1
                let command = Command(id: lastID, sessionId: session, method: method, params: parameters)
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
            let target = try await ask("Target.createTarget", .init(url: "about:blank")).targetId
            let session = try await ask("Target.attachToTarget", .init(targetId: target, flatten: true)).sessionId
            _ = try await ask(
                "Emulation.setDeviceMetricsOverride", in: session,
                .init(width: width, height: height, deviceScaleFactor: scale, mobile: false))
            _ = try await ask("Page.navigate", in: session, .init(url: address))
            await isReady()
            let picture = try await ask("Page.captureScreenshot", in: session, .init(format: "png"))
            guard let text = picture.data, let data = Data(base64Encoded: text) else {
                throw SnapshotError.browserFailed(reason: "it gave no picture")
            }
            return Array(data)
        }
    }

    private init() async throws {
        let programs = ["chromium", "chromium-browser", "google-chrome"]
        guard let program = programs.lazy.compactMap(RegionTool.path).first else { throw SnapshotError.noBrowser }
        var template = Array("/tmp/locationd-snapshot-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SnapshotError(Errno()) }
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
            // The browser's output is discarded.
            let started = try ProgramLaunch(words, descriptors: [3: commands.reading, 4: answers.writing]).start()
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
            throw (error as? Errno).map { SnapshotError($0) } ?? error
        }
    }

    /// Opens a pipe with descriptors above 4, because the browser receives its own at 3 and 4.
    private static func openPipe(
        keptIn descriptors: inout [Int32]
    ) throws(Errno) -> (reading: Int32, writing: Int32) {
        let low = try DescriptorIO.pipe()
        defer { for descriptor in [low.reading, low.writing] { close(descriptor) } }
        for descriptor in [low.reading, low.writing] {
            let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
            guard high >= 0 else { throw Errno() }
            descriptors.append(high)
        }
        return (descriptors[descriptors.count - 2], descriptors[descriptors.count - 1])
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
}

extension SnapshotError {
    fileprivate init(_ error: Errno) { self = .browserFailed(reason: error.description) }
}
