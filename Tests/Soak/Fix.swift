import Glibc

/// A fix of the soak: each is a bit more than a metre north of the last, so that its latitude identifies it, and has a
/// time of its own.
struct Fix {
    var number: Int
    /// Milliseconds since 1970.
    var time: Int64

    private static let start = 10.0
    private static let step = 1e-5

    /// The number of the fix at a latitude.
    static func number(ofLatitude latitude: Double) -> Int { Int(((latitude - start) / step).rounded()) }

    /// The fix as a line of gpsd.
    var line: String {
        var (seconds, date) = (time_t(time / 1000), tm())
        gmtime_r(&seconds, &date)
        func two(_ value: Int32) -> String { String("\(100 + value)".dropFirst()) }
        let day = "\(1900 + date.tm_year)-\(two(date.tm_mon + 1))-\(two(date.tm_mday))"
        let clock = "\(two(date.tm_hour)):\(two(date.tm_min)):\(two(date.tm_sec))"
        let latitude = Decimal.text(Self.start + Double(number) * Self.step, digits: 9)
        let fraction = String("\(1000 + time % 1000)".dropFirst())
        return #"{"class":"TPV","device":"/dev/ttyS0","mode":3,"time":"\#(day)T\#(clock).\#(fraction)Z","#
            + #""lat":\#(latitude),"lon":13.377704270,"altHAE":81.4,"altMSL":36.9,"alt":36.9,"#
            + #""track":0.5,"speed":22.2,"climb":0.1,"epv":9.9,"eps":0.42,"eph":7.5}"# + "\r\n"
    }
}

/// Decimal numbers with a fixed number of digits after the point.
enum Decimal {
    static func text(_ value: Double, digits: Int) -> String {
        let scale = (0..<digits).reduce(1.0) { product, _ in product * 10 }
        let scaled = Int64((value.magnitude * scale).rounded())
        let (whole, part) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
        let fraction = String("\(Int64(scale) + part)".dropFirst())
        return (value < 0 ? "-" : "") + "\(whole)" + (digits > 0 ? ".\(fraction)" : "")
    }
}
