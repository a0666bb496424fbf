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

    /// Its path; `nil` if it is not installed.
    var path: String? {
        let directory = OwnExecutable.directory
        // Beside this program after a build; otherwise in the packages' directory for programs that users do not run
        // themselves.
        return ["\(directory)/\(file)", "\(directory)/../libexec/locationd/\(file)"].first { access($0, X_OK) == 0 }
    }

    /// Becomes the program. Returns only by throwing, if it is not installed.
    func replace(with arguments: [String]) throws -> Never {
        if let program = path {
            let words = ([program] + arguments).map { strdup($0) }
            execv(program, words + [nil])
            Terminal.complain("\(subject) could not be started: \(program): \(String(cString: strerror(errno))).")
            throw Exit.failure
        }
        Terminal.complain(
            "\(subject) is not installed. On Debian, download \(package) from where locationd came from, then run: "
                + "sudo apt install ./\(package)_*.deb")
        throw Exit.failure
    }
}
