package import Glibc

/// The start of another program: posix_spawn(3).
package struct ProgramLaunch {
    /// The program, by its path or by a name that is looked up in `$PATH`, and its arguments.
    package var arguments: [String]
    /// Assignments; `nil` for the environment of this process.
    package var environment: [String]?
    /// The descriptors that the program gets, by its numbers. Standard input, output and error are `/dev/null` unless given.
    package var descriptors: [Int32: Int32]
    /// True if signals of the terminal, such as Ctrl-C, do not reach the program.
    package var isInOwnGroup = false

    package init(_ arguments: [String], environment: [String]? = nil, descriptors: [Int32: Int32] = [:]) {
        (self.arguments, self.environment, self.descriptors) = (arguments, environment, descriptors)
    }

    /// Starts the program; returns its process id.
    package func start() throws(Errno) -> pid_t {
        Self.keepStatuses()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where descriptors[number] == nil {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        for (number, descriptor) in descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor, number) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The threads of Swift's tasks block all signals, which the program would inherit.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (isInOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = (environment ?? []).map { strdup($0) } + [nil]
        defer { for string in argv + envp { free(string) } }
        var process = pid_t()
        let code =
            environment == nil
            ? posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, environ)
            : posix_spawnp(&process, arguments[0], &actions, &attributes, &argv, &envp)
        guard code == 0 else { throw Errno(code) }
        return process
    }

    /// Waits for the end of a program; returns its status as waitpid(2) does.
    package static func wait(for process: pid_t) throws(Errno) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw Errno() }
        }
        return status
    }

    /// Reaps a program when it ends, on a thread of its own. Nobody waits for its status.
    package static func reap(_ process: pid_t) {
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { process in
                _ = try? ProgramLaunch.wait(for: pid_t(Int(bitPattern: process)))
                return nil
            }, UnsafeMutableRawPointer(bitPattern: Int(process)))
        if code == 0 { pthread_detach(thread) }
    }

    /// Lets the kernel keep the status of a program that has ended: a parent that ignores SIGCHLD leaves that to its children, and
    /// then every program would seem to have succeeded.
    private static func keepStatuses() {
        var action = sigaction()
        sigaction(SIGCHLD, nil, &action)
        if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
            signal(SIGCHLD, SIG_DFL)
        }
    }
}

extension ProgramLaunch {
    /// The exit code and the output of a program.
    package struct Result: Sendable {
        /// The exit code; 128 plus the signal's number if a signal ended it, as in a shell.
        package var code: Int32
        package var output: String
    }

    /// Runs the program and waits for its end. It is killed when it writes more than `limit` bytes (`EFBIG`) or runs
    /// longer than `time` (`ETIMEDOUT`).
    package func run(
        includingErrors: Bool = false, limit: Int = 1 << 20, time: Duration = .seconds(120)
    ) throws(Errno) -> Result {
        let (reading, writing) = try DescriptorIO.pipe()
        defer { close(reading) }
        var launch = self
        launch.descriptors[STDOUT_FILENO] = writing
        if includingErrors { launch.descriptors[STDERR_FILENO] = writing }
        let process: pid_t
        do throws(Errno) {
            process = try launch.start()
        } catch {
            close(writing)
            throw error
        }
        close(writing)
        do throws(Errno) {
            let output = try Self.readToEnd(reading, limit: limit, deadline: .now + time)
            let status = try Self.wait(for: process)
            let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
            return Result(code: code, output: String(decoding: output, as: UTF8.self))
        } catch {
            kill(process, SIGKILL)
            _ = try? Self.wait(for: process)
            throw error
        }
    }

    private static func readToEnd(
        _ descriptor: Int32, limit: Int, deadline: ContinuousClock.Instant
    ) throws(Errno) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            let ready = poll(&request, 1, Int32(clamping: Int(left.rounded(.up))))
            if ready == 0 { throw Errno(ETIMEDOUT) }
            let count = ready < 0 ? -1 : read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Errno() }
            if count == 0 { return output }
            output += buffer.prefix(count)
            guard output.count <= limit else { throw Errno(EFBIG) }
        }
    }
}
