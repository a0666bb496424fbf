import CommandLineSupport
import Glibc
import POSIXSupport

/// Reads secrets from standard input.
enum HiddenInput {
    /// Lines that are typed in the terminal, and not shown, each after its prompt.
    ///
    /// - Parameter hint: a line that is printed first.
    static func lines(_ prompts: [String], hint: String) throws -> [UInt8] {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw unusableTerminal }
        var hidden = settings
        // Ctrl-C is read as a character, so that the terminal shows what is typed again afterwards.
        hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw unusableTerminal }
        defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
        Terminal.complain(hint)
        var lines: [[UInt8]] = []
        for prompt in prompts {
            write(prompt + " (not shown): ")
            defer { write("\n") }
            lines.append(try line())
        }
        return Array(lines.joined(separator: [0x0a]))
    }

    private static var unusableTerminal: ShareRefusal { ShareRefusal("The terminal cannot be used: \(Errno()).") }

    private static func line() throws -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4096 {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            guard byte != 3 else { throw ShareRefusal("Nothing was added.") }
            line.append(byte)
        }
        return line
    }

    /// What standard input has, at most `limit` bytes.
    static func standardInput(limit: Int) throws -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while content.count <= limit {
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw ShareRefusal("Standard input cannot be read: \(Errno()).") }
            if count == 0 { return content }
            content += buffer.prefix(count)
        }
        throw ShareRefusal("Standard input has more than a URL and a key.")
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        // A prompt that cannot be shown is missed, no more.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
