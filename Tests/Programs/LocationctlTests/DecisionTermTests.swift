import ArgumentParser
import LocationModel
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct DecisionTermTests {
    private let now = Timestamp("2026-11-27T12:00:00Z")!

    @Test(
        "the end of a decision is a time of day, or a time with a date",
        arguments: ["7:05", "18:00", "00:00", "23:59", "2126-12-24T18:00"])
    func end(text: String) throws {
        let term = try DecisionTerm.parse(["--until", text])
        #expect(try #require(try term.end(after: now)) > now)
    }

    @Test(
        "other text is refused",
        arguments: [
            "", "18", "24:00", "18:60", "12:+5", "+1:05", "-1:05", "12:5", "१२:०५", "18:00:00", "2020-01-01T00:00",
        ])
    func noEnd(text: String) {
        #expect(throws: (any Error).self) { try DecisionTerm.parse(["--until=\(text)"]) }
    }

    @Test(
        "a duration has units, and is a minute to a year", arguments: [("2h", 7200), ("1h30m", 5400), ("7d", 604_800)])
    func duration(text: String, seconds: Int64) throws {
        let term = try DecisionTerm.parse(["--for", text])
        #expect(try term.end(after: now) == now.advanced(by: .seconds(seconds)))
    }

    @Test("a logout is not a time, and cannot be added to one")
    func logout() throws {
        #expect(try DecisionTerm.parse(["--until-logout"]).end(after: now) == nil)
        #expect(throws: (any Error).self) { try DecisionTerm.parse(["--until-logout", "--for", "2h"]) }
        #expect(throws: (any Error).self) { try DecisionTerm.parse(["--until-logout", "--until", "18:00"]) }
    }

    @Test("another duration is refused", arguments: ["", "2", "h", "59s", "367d", "1.5h", "+2h", "9999999999h"])
    func noDuration(text: String) {
        #expect(throws: (any Error).self) { try DecisionTerm.parse(["--for=\(text)"]) }
    }
}
