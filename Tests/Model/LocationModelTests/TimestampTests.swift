import LocationModel
import Testing

@Suite(.timeLimit(.minutes(10))) struct TimestampTests {
    @Test(
        "a timestamp survives conversion to text and back",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0),
            ("2026-11-21T08:30:00.000Z", 1_795_249_800_000_000_000),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999_000_000),
            ("1999-08-22T00:02:31.420Z", 935_280_151_420_000_000),
            ("1969-12-31T23:59:59.500Z", -500_000_000),
            ("2026-11-21T08:30:00.123456Z", 1_795_249_800_123_456_000),
            ("2026-11-21T08:30:00.123456789Z", 1_795_249_800_123_456_789),
            // The last timestamp, so all that can be written can be read.
            ("2262-04-11T23:47:16.854775807Z", .max),
            ("1678-01-01T00:00:00.000Z", -9_214_560_000_000_000_000),
        ] as [(String, Int64)])
    func roundTrips(text: String, nanoseconds: Int64) {
        #expect(Timestamp(text)?.nanosecondsSince1970 == nanoseconds)
        #expect(Timestamp(nanosecondsSince1970: nanoseconds).description == text)
    }

    @Test(
        "other forms of ISO 8601 are accepted",
        arguments: [
            ("2026-11-21T08:30:00Z", "2026-11-21T08:30:00.000Z"),
            ("2026-11-21T08:30:00.5Z", "2026-11-21T08:30:00.500Z"),
            ("2026-11-21T08:30:00.1234567891Z", "2026-11-21T08:30:00.123456789Z"),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ])
    func readsOtherForms(text: String, normal: String) {
        #expect(Timestamp(text)?.description == normal)
    }

    @Test(
        "text that is not ISO 8601 in UTC is refused",
        arguments: [
            "", "Z", "2026-11-21", "2026-11-21T08:30:00", "2026-11-21T08:30:00+01:00", "2026-11-21 08:30:00Z",
            "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
            "1200-01-01T00:00:00Z", "9999-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ",
            "2262-04-11T23:47:16.854775808Z", "2262-04-11T23:47:17Z", "2262-12-31T23:59:59Z",
        ])
    func refuses(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("the first timestamp has a text form")
    func extremeTimestampsHaveText() {
        #expect(Timestamp(nanosecondsSince1970: .min).description == "1677-09-21T00:12:43.145224192Z")
    }

    @Test("a clock beyond the range stops at its end")
    func clockPastRangeStandsStill() {
        #expect(Timestamp(secondsSince1970: 7, nanoseconds: 5).nanosecondsSince1970 == 7_000_000_005)
        #expect(Timestamp(secondsSince1970: -1, nanoseconds: 5).nanosecondsSince1970 == -999_999_995)
        for seconds in [9_223_372_037, 32_503_680_000, .max] as [Int64] {
            #expect(Timestamp(secondsSince1970: seconds, nanoseconds: 999_999_999).nanosecondsSince1970 == .max)
        }
        #expect(Timestamp(secondsSince1970: .min).nanosecondsSince1970 == .min)
    }

    @Test("durations saturate at the ends of the range")
    func durationsSaturate() {
        let (early, late) = (Timestamp(nanosecondsSince1970: .min), Timestamp(nanosecondsSince1970: .max))
        #expect(late.duration(since: early) == .nanoseconds(Int64.max))
        #expect(early.duration(since: late) == .nanoseconds(Int64.min))
        #expect(late.advanced(by: .seconds(1)) == late)
        #expect(early.advanced(by: .seconds(-1)) == early)
        #expect(late.advanced(by: .seconds(Int64.max)) == late)
        let now = Timestamp(nanosecondsSince1970: 5)
        #expect(now.advanced(by: .milliseconds(-3)).duration(since: now) == .milliseconds(-3))
    }
}
