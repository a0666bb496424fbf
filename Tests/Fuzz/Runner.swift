import Glibc

/// libFuzzer's main loop, for which the toolchain has no header.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer on one target: `fuzz --target=gpsd [OPTION of libFuzzer]… [CORPUS]…`.
///
/// The target is an option that libFuzzer ignores but passes on to the processes it starts.
@main enum Runner {
    private static let target: FuzzTarget? = CommandLine.arguments.lazy
        .filter { $0.hasPrefix("--target=") }
        .compactMap { FuzzTarget(rawValue: String($0.dropFirst("--target=".count))) }.first

    static func main() {
        guard target != nil else {
            print("Name a target: \(FuzzTarget.allCases.map { "--target=\($0.rawValue)" }.joined(separator: ", "))")
            exit(EX_USAGE)
        }
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(runDriver(&count, &arguments, runTarget))
    }

    fileprivate static func run(_ input: [UInt8]) {
        do {
            try target?.run(input)
        } catch {
            // The fuzzer keeps inputs that end the process.
            fatalError("\(error)")
        }
    }
}

private func runTarget(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Runner.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
