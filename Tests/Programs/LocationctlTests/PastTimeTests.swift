import CommandLineSupport
import LocationModel
import Testing

@testable import locationctl

@Suite("Past times in arguments", .timeLimit(.minutes(10)))
struct PastTimeTests {
    @Test("a date, a time and an age are accepted")
    func accepted() throws {
        #expect(PastTime(argument: "2026-11-21")?.timestamp(by: .utc) == Timestamp("2026-11-21T00:00:00Z"))
        #expect(PastTime(argument: "2026-11-21T08:30:00Z")?.timestamp(by: .local) == Timestamp("2026-11-21T08:30:00Z"))
        for text in ["2026-11-21 08:30", "2026-11-21T08:30", "2026-11-21 08:30:00"] {
            #expect(PastTime(argument: text)?.timestamp(by: .utc) == Timestamp("2026-11-21T08:30:00Z"))
        }
        let (week, hour) = (try #require(PastTime(argument: "1w")), try #require(PastTime(argument: "1h")))
        let difference = hour.timestamp(by: .utc).duration(since: week.timestamp(by: .utc)) / .seconds(3600)
        #expect((167.0...168).contains(difference))
        // Longer than there is time.
        #expect(PastTime(argument: "1000000w") != nil)
    }

    @Test(
        "other text is refused",
        arguments: [
            "", "d", "-1d", "1", "1y", "1000001s", "9223372036854775807w", "2026-02-30", "tomorrow", "2026-11-21 ",
            "2026-11-21 8", "2026-11-21 24:30", "2026-11-21_08:30", "2026-11-21 08:30:00.5",
        ])
    func refused(argument: String) {
        #expect(PastTime(argument: argument) == nil)
    }
}
