/// Times as people type them on a command line.
package enum TypedTime {
    /// The seconds of a duration such as `90m`, `1h30m` or `7d`, in units from `s` to `w`; `nil` for any other text.
    package static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        var rest = Substring(text)
        var seconds: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard (1...8).contains(digits.count), let count = Int64(digits),
                let unit = rest.dropFirst(digits.count).first.flatMap({ units[$0] })
            else { return nil }
            seconds += count * unit
            rest = rest.dropFirst(digits.count + 1)
        } while !rest.isEmpty
        return seconds
    }

    /// The hour and minute of a time of day such as `18:00` or `7:05`; `nil` for any other text.
    package static func timeOfDay(_ text: String) -> (hour: Int, minute: Int)? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            // `Int` would take a sign.
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return (hour, minute)
    }
}
