import CommandLineSupport
import Glibc

/// A child process whose standard output and standard error are read.
final class ToolProcess {
    let processID: pid_t
    /// Where its standard output is read.
    let output: Int32
    private let errors: Int32
    private let interruption: Interruption

    /// Starts a program, with nothing to read and the C locale, in which its messages are known.
    init(_ command: [String], interruption: Interruption) throws(RegionError) {
        let (output, errors) = (try Self.pipe(), try Self.pipe())
        defer {
            close(output.write)
            close(errors.write)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors.write, STDERR_FILENO)
        // The threads of Swift's tasks block all signals, which a child would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let arguments = command.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = interruption.starting {
            let code = posix_spawnp(&process, command[0], &actions, &attributes, arguments, environ)
            return (code, code == 0 ? process : nil)
        }
        guard code == 0 else {
            close(output.read)
            close(errors.read)
            throw RegionError("\(command[0]) cannot be started: \(String(cString: strerror(code))).")
        }
        processID = process
        self.output = output.read
        self.errors = errors.read
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

    /// Ends the program, whose result is of no use any more.
    func end() { kill(processID, SIGKILL) }

    /// Waits for its end. Gives its status as waitpid(2) does.
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        interruption.ended()
        return status
    }

    private static func pipe() throws(RegionError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else {
            throw RegionError("No pipe can be made: \(String(cString: strerror(errno))).")
        }
        // Before anything else is started: one thing after the other is.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
