import Dispatch
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// A program that was started, until its end: killed when it is let go.
final class RunningProcess: Sendable {
    let processID: pid_t
    private let end: End

    /// Starts it with `standard` as its input, output and errors, where `nil` is nothing, with `descriptors` as 3 and
    /// following, and with no other open file.
    init(
        _ arguments: [String], environment: [String: String], standard: [Int32?], descriptors: [Int32] = []
    ) throws {
        processID = try Self.spawn(
            arguments, environment: environment, standard: standard, descriptors: descriptors)
        // Only now: a promise must be kept.
        end = End()
        // Waiting takes a thread, which a queue of its own has.
        DispatchQueue(label: "wait for a process").async { [processID, end] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            end.reached(status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
        }
    }

    deinit { signal(SIGKILL) }

    func signal(_ number: Int32) {
        // Once it has been waited for, its id may be another's.
        if !end.isReached { kill(processID, number) }
    }

    /// Waits for its end. As a shell says it: 128 and the number of the signal if one ended it.
    func exitCode() async throws -> Int32 { try await end.code.get() }

    private static func spawn(
        _ arguments: [String], environment: [String: String], standard: [Int32?], descriptors: [Int32]
    ) throws -> pid_t {
        // Out of the way of the numbers they are to have.
        let moved = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { for descriptor in moved { close(descriptor) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, descriptor) in (standard + moved).enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        // Closing what is not open is no error.
        for descriptor in (standard.count + moved.count)..<1024 {
            posix_spawn_file_actions_addclose(&actions, Int32(descriptor))
        }

        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        variables.removeAll { variable in environment.keys.contains { variable.hasPrefix($0 + "=") } }
        variables += environment.map { "\($0)=\($1)" }
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = variables.map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        // The threads that tests run on block all signals, which a process would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A script's background job ignores SIGINT and SIGQUIT, which a process would inherit, too.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw SystemFailure("posix_spawnp \(arguments[0])", code: code) }
        return process
    }

    private final class End: Sendable {
        private let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: Int32.self)
        private let reached = Mutex(false)

        var code: EventLoopFuture<Int32> { promise.futureResult }
        var isReached: Bool { reached.withLock { $0 } }

        func reached(_ code: Int32) {
            reached.withLock { $0 = true }
            promise.succeed(code)
        }
    }
}
