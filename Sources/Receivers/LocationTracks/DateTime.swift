import LocationModel

extension Timestamp {
    /// Reads a time as programs write it: XML Schema's `dateTime`, which is ISO 8601 with any number of decimals, in UTC
    /// (`Z`), with an offset (`+02:00`) or without a zone, which GPX defines as UTC; also with a space in place of the
    /// `T`, without seconds, with slashes, or with an offset without a colon (`+0200`, `+02`). `nil` for anything else.
    init?(dateTime text: some StringProtocol) {
        // Most are in UTC.
        if let time = Timestamp(text) {
            self = time
            return
        }
        var rest = text.utf8[...]
        func skip(_ characters: StaticString) -> Bool {
            let characters = UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount)
            guard let first = rest.first, characters.contains(first) else { return false }
            rest.removeFirst()
            return true
        }
        func number(_ digits: ClosedRange<Int>) -> Int? {
            var (value, count) = (0, 0)
            while count < digits.upperBound, let byte = rest.first, (0x30...0x39).contains(byte) {
                value = value * 10 + Int(byte - 0x30)
                count += 1
                rest.removeFirst()
            }
            return digits.contains(count) ? value : nil
        }
        while skip(" \t\r\n") {}
        guard let year = number(4...4), skip("-/"), let month = number(1...2), skip("-/"), let day = number(1...2),
            skip("Tt ")
        else { return nil }
        while skip(" ") {}
        guard let hour = number(1...2), skip(":"), let minute = number(2...2) else { return nil }
        var second = 0
        var fraction = 0
        if skip(":") {
            guard let value = number(2...2) else { return nil }
            second = value
            if skip(".,") {
                var (unit, digits) = (100_000_000, 0)
                while let digit = number(1...1) {
                    fraction += digit * unit
                    unit /= 10
                    digits += 1
                }
                guard digits > 0 else { return nil }
            }
        }
        while skip(" ") {}
        var offset = 0
        let isEast = rest.first == UInt8(ascii: "+")
        if skip("+-") {
            guard let hours = number(2...2) else { return nil }
            var minutes = 0
            if skip(":") || rest.first.map({ (0x30...0x39).contains($0) }) == true {
                guard let value = number(2...2) else { return nil }
                minutes = value
            }
            guard hours < 14 && minutes < 60 || hours == 14 && minutes == 0 else { return nil }
            offset = (hours * 60 + minutes) * (isEast ? 1 : -1)
        } else {
            _ = skip("Zz")
        }
        while skip(" \t\r\n") {}
        guard rest.isEmpty else { return nil }
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let date = "\(year)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))Z"
        guard let local = Timestamp(date) else { return nil }
        let time = local.advanced(by: .seconds(-60 * offset) + .nanoseconds(fraction))
        // The zone may shift it out of the years that can be written.
        guard offset == 0 || Timestamp(time.description) == time else { return nil }
        self = time
    }

    /// The time this many seconds, or milliseconds, after 1970; `nil` for a number that is neither, because it would be
    /// before 1980 or after 2262.
    init?(sinceEpoch number: Double) {
        let seconds = number >= 1e11 ? number / 1000 : number
        guard seconds >= 315_964_800, seconds < 9.2e9 else { return nil }
        self.init(nanosecondsSince1970: Int64((seconds * 1000).rounded()) * 1_000_000)
    }
}
