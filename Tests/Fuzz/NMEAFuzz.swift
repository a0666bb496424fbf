import LocationModel

@testable import LocationSources

/// What a modem answers: sets of sentences, separated by NUL. Lines that begin with `$` and end with `*` get their checksum,
/// which the fuzzer would seldom find.
enum NMEAFuzz {
    static func run(_ input: [UInt8]) throws {
        var answers = ModemAnswers(device: "modem:fuzz")
        var last: Timestamp?
        for set in input.split(separator: 0) {
            let text = String(decoding: set, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .map(completed).joined(separator: "\r\n")
            let result = answers.receive(text)
            for case .position(let position) in result.reports {
                try Finding.unless(position.device == "modem:fuzz", "a report of another device")
                guard let location = position.location else { continue }
                try Finding.unless(result.isNew && position.time != nil, "a fix that is not new, or without a time")
                try Finding.unless(position.time != last, "a fix that was reported before")
                try Finding.unless(position.mode >= .twoDimensional, "a location without a fix")
                try LocationCheck.check(location)
            }
            for case .position(let position) in result.reports where position.time != nil { last = position.time }
        }
    }

    private static func completed(_ line: Substring) -> String {
        guard line.hasPrefix("$"), line.hasSuffix("*") else { return String(line) }
        let sum = line.dropFirst().dropLast().utf8.reduce(0, ^)
        return "\(line)\(sum < 16 ? "0" : "")\(String(sum, radix: 16))"
    }
}
