import Glibc
import POSIXSupport

/// A child process with its standard output and standard error.
final class ToolProcess {
    let processID: pid_t
    /// The descriptor of its standard output.
    let output: Int32
    private let errors: Int32
    private let interruption: Interruption

    /// Starts a program without standard input and in the C locale, which fixes the language of its messages.
    init(_ command: [String], interruption: Interruption) throws(RegionError) {
        let (output, errors) = (try Self.pipe(), try Self.pipe())
        defer {
            close(output.writing)
            close(errors.writing)
        }
        let launch = ProgramLaunch(
            command, descriptors: [STDOUT_FILENO: output.writing, STDERR_FILENO: errors.writing])
        do throws(Errno) {
            processID = try interruption.starting { () throws(Errno) in try launch.start() }
        } catch {
            close(output.reading)
            close(errors.reading)
            throw RegionError("\(command[0]) cannot be started: \(error).")
        }
        self.output = output.reading
        self.errors = errors.reading
        self.interruption = interruption
    }

    deinit {
        close(output)
        close(errors)
    }

    /// Reads both until the program has closed them.
    func read(_ receive: (_ bytes: [UInt8], _ isError: Bool) -> Void) {
        var open = [output, errors]
        while !open.isEmpty {
            var requests = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&requests, nfds_t(requests.count), -1) >= 0 else {
                if errno == EINTR { continue }
                return
            }
            for request in requests where request.revents != 0 {
                var code: Int32 = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                    let read = Glibc.read(request.fd, buffer.baseAddress, buffer.count)
                    code = read < 0 ? errno : 0
                    count = max(0, read)
                }
                if code == EINTR { continue }
                if bytes.isEmpty { open.removeAll { $0 == request.fd } } else { receive(bytes, request.fd == errors) }
            }
        }
    }

    /// Kills the program, whose result is not needed.
    func end() { kill(processID, SIGKILL) }

    /// Waits for the end, and returns the status as waitpid(2) does.
    func wait() throws(RegionError) -> Int32 {
        defer { interruption.ended() }
        do throws(Errno) { return try ProgramLaunch.wait(for: processID) } catch {
            throw RegionError("Whether the tool has succeeded is unknown: \(error).")
        }
    }

    private static func pipe() throws(RegionError) -> (reading: Int32, writing: Int32) {
        do throws(Errno) { return try DescriptorIO.pipe() } catch {
            throw RegionError("No pipe can be made: \(error).")
        }
    }
}
