import Glibc

/// Writes lines to standard output and standard error, without buffering.
package enum Terminal {
    /// Writes a line of the result.
    package static func say(_ line: String) { say([line]) }

    /// Writes the lines of the result.
    package static func say(_ lines: [String]) { put(lines, on: STDOUT_FILENO) }

    /// Writes a line that is not part of the result: an error or a note on progress.
    package static func complain(_ line: String) { complain([line]) }

    /// Writes lines that are not part of the result.
    package static func complain(_ lines: [String]) { put(lines, on: STDERR_FILENO) }

    /// The width of standard error in cells, at least 20; `nil` if it is not a terminal.
    package static var width: Int? { width(of: STDERR_FILENO) }

    /// The width of standard output in cells, at least 20; `nil` if it is not a terminal.
    package static var outputWidth: Int? { width(of: STDOUT_FILENO) }

    private static func width(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard isatty(descriptor) != 0 else { return nil }
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return max(20, Int(size.ws_col))
    }

    /// Discards the input that was typed and not read yet.
    package static func discardInput() {
        // In the background the input is for another program, and discarding it would stop this one. Without a terminal
        // there is none.
        guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
        _ = tcflush(STDIN_FILENO, TCIFLUSH)
    }

    /// Opens those of the standard descriptors that are closed (`locationctl get >&-`), to be called first: else a socket would
    /// take the place of one, and what is printed would go to the service. Writing to them fails as it would.
    package static func keepStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest that is free: this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Ends the program after a failed write.
    private static func end(_ descriptor: Int32, _ error: Int32) -> Never {
        guard descriptor == STDOUT_FILENO else { exit(0) }
        // A reader that has ended (`locationctl watch | head`) is no reason for a message.
        if error != EPIPE { complain("The output cannot be written: \(String(cString: strerror(error))).") }
        exit(1)
    }

    private static func put(_ lines: [String], on descriptor: Int32) {
        var bytes = Array(lines.map { Charset.ofOutput.encodable($0.harmless) + "\n" }.joined().utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { end(descriptor, errno) }
            bytes = bytes.dropFirst(count)
        }
    }
}
