import LocationModel
import LocationPolicy
import Testing

@Suite("The clock of use") struct UseClockTests {
    private static let start = Timestamp(secondsSince1970: 1_800_000_000)

    /// The seconds that count after readings at these seconds.
    private func counted(_ readings: [Int64]) -> Int64 {
        var clock = UseClock(reading: Self.start)
        for seconds in readings { clock.advance(to: Self.start.advanced(by: .seconds(seconds))) }
        return clock.counted
    }

    @Test("time counts once, whatever the number of readings")
    func counts() {
        #expect(counted([]) == 0)
        #expect(counted([86_400]) == 86_400)
        #expect(counted(Array(stride(from: 60, through: 86_400, by: 60))) == 86_400)
    }

    @Test("parts of a second are not lost")
    func parts() {
        var clock = UseClock(reading: Self.start)
        for step in 1...25 { clock.advance(to: Self.start.advanced(by: .milliseconds(400 * step))) }
        #expect(clock.counted == 10)
    }

    @Test("of a long gap a week counts, and the next day wholly")
    func gap() {
        #expect(counted([400 * 86_400]) == 7 * 86_400)
        #expect(counted([400 * 86_400, 401 * 86_400]) == 8 * 86_400)
    }

    @Test("a clock that is set back, such as one without a battery at each start, counts again when it has caught up")
    func setBack() {
        #expect(counted([86_400, -900 * 86_400]) == 86_400)
        #expect(counted([86_400, -900 * 86_400, 90_000, -900 * 86_400, 93_600]) == 93_600)
    }

    @Test("days are whole ones, and none since a use in the future")
    func days() {
        let clock = UseClock(counted: 172_799, reading: Self.start)
        #expect(clock.days(since: 0) == 1)
        #expect(clock.days(since: 200_000) == 0)
    }
}
