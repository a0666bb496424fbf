import Glibc
import VarlinkIDL

// InterfaceGenerator FILE.varlink FILE.swift: writes the Swift types of an interface; InterfaceGenerator FILE.names FILE.swift:
// writes the declarations of old names. The build plugin GenerateInterfaces runs it.

/// Ends with a message in the form that compilers use.
func fail(_ message: String) -> Never {
    _ = "\(message)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(1)
}

func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return ferror(file) == 0 ? bytes : nil
}

/// Saves a file, unless it has this text already: all that depends on it would be compiled again.
func save(_ text: String, to path: String) -> Bool {
    if let present = contents(of: path), present.elementsEqual(text.utf8) { return true }
    guard let file = fopen(path, "w") else { return false }
    let isWritten = fputs(text, file) >= 0
    return fclose(file) == 0 && isWritten
}

guard CommandLine.arguments.count == 3 else { fail("usage: InterfaceGenerator FILE.varlink|FILE.names FILE.swift") }
let (input, output) = (CommandLine.arguments[1], CommandLine.arguments[2])
guard let bytes = contents(of: input) else { fail("\(input): error: the file cannot be read") }
do {
    let text = String(decoding: bytes, as: UTF8.self)
    let swift: String
    if input.hasSuffix(".names") {
        swift = try OldNames.swift(for: text)
    } else {
        let interface = try InterfaceDescription(text)
        swift = try InterfaceGenerator.swift(for: interface, names: SwiftNames.all[interface.name] ?? SwiftNames())
    }
    guard save(swift, to: output) else { fail("\(output): error: the file cannot be written") }
} catch let error as InterfaceDescriptionError {
    fail("\(input):\(error.line):\(error.column): error: \(error.reason)")
} catch {
    fail("\(input): error: \(error)")
}
