import CommandLineSupport
import Glibc

/// A program of another package that carries out a command of this one.
struct PackagedProgram {
    /// The name of its file.
    let file: String
    /// What it does, as the subject of a sentence: `The map`.
    let subject: String
    /// Its package on Debian.
    let package: String

    /// Becomes the program. Returns only by throwing, if it is not installed.
    func replace(with arguments: [String]) throws -> Never {
        let directory = OwnExecutable.directory
        // Beside this program after a build; otherwise in the packages' directory for programs that users do not run
        // themselves.
        for program in ["\(directory)/\(file)", "\(directory)/../libexec/locationd/\(file)"]
        where access(program, X_OK) == 0 {
            let words = ([program] + arguments).map { strdup($0) }
            execv(program, words + [nil])
            Terminal.complain("\(subject) could not be started: \(program): \(String(cString: strerror(errno))).")
            throw Exit.failure
        }
        Terminal.complain("\(subject) is not installed. To install it on Debian, run: sudo apt install \(package)")
        throw Exit.failure
    }
}
