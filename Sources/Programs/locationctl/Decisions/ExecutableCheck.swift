import Glibc
import LocationClient
import LocationDiagnosis
import LocationPolicy

/// Checks that the kernel can report a file as the program of a process.
enum ExecutableCheck {
    /// Throws for a file that a declaration by its path would never match.
    static func verify(_ path: String) throws(LocationError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .refused(message: "\(path): \(String(cString: strerror(errno)))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .refused(message: "\(path) is a directory. Give the path of the program in it.")
        default: throw .refused(message: "\(path) is not a regular file.")
        }
        if let interpreter = ProgramEvidence.interpreter(of: path) {
            throw .refused(
                message:
                    "\(path) is a script. The kernel runs it as \(interpreter), which cannot be told apart from other "
                    + "scripts. \(Interpreter.remedy)")
        }
        guard status.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) != 0 else {
            throw .refused(message: "\(path) cannot be executed. To fix it, if it is a program, run: chmod +x \(path)")
        }
    }
}
