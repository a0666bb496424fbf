import Glibc

/// Standard output and standard error.
enum Terminal {
    /// Writes a line and sees to it that a reader of a pipe gets it now.
    static func say(_ line: String) { put(line, on: STDOUT_FILENO) }

    /// Writes a line that is not the result: an error, or what is going on.
    static func complain(_ line: String) { put(line, on: STDERR_FILENO) }

    private static func put(_ line: String, on descriptor: Int32) {
        var bytes = Array("\(line.printable)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            // Nobody reads any more (`locationctl watch | head`): what is left to say has no reader.
            guard count > 0 else { exit(descriptor == STDOUT_FILENO ? 1 : 0) }
            bytes = bytes.dropFirst(count)
        }
    }
}

extension String {
    /// The text with control characters replaced, so that what came from elsewhere cannot steer the terminal.
    var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isControl { result += "\u{FFFD}" } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether a terminal may take it as a command, or as a change of the direction of writing. A line feed is none:
    /// it comes from us only.
    fileprivate var isControl: Bool {
        switch properties.generalCategory {
        case .control: self != "\n"
        case .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }
}
