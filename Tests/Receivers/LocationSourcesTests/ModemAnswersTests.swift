import LocationModel
import Testing

@testable import LocationSources

@Suite(.timeLimit(.minutes(10))) struct ModemAnswersTests {
    private var answers = ModemAnswers(device: "modem:1-1")

    private mutating func time(_ text: String?) -> Timestamp? {
        for case .position(let position) in answers.receive(text).reports { return position.location?.timestamp }
        return nil
    }

    @Test("an answer counts once, and only if an earlier one was not the same")
    mutating func repeatedAnswers() {
        #expect(time(nil) == nil)
        #expect(time(NMEA.fix(at: "123519")) == Timestamp("2026-11-21T12:35:19Z"))
        #expect(time(NMEA.fix(at: "123519")) == nil)
        #expect(time(NMEA.fix(at: "123520")) == Timestamp("2026-11-21T12:35:20Z"))
    }

    @Test("a fix in the first answer may be old: it only serves for comparison")
    mutating func firstAnswer() {
        #expect(answers.receive(NMEA.fix(at: "123519")) == .init())
        #expect(answers.receive(NMEA.fix(at: "123519")) == .init())
        #expect(time(NMEA.fix(at: "123520")) != nil)
    }

    @Test("an incomplete answer is skipped until it is complete")
    mutating func mixedAnswer() {
        _ = time(NMEA.fix(at: "123519"))
        let mixed =
            NMEA.sentence("GPGGA,123521,5231.2,N,01324.3,E,1,08,0.9,34.0,M,44.0,M,,") + "\r\n"
            + NMEA.sentence("GPRMC,123520,A,5231.2,N,01324.3,E,2.5,84.4,211126,,,A")
        #expect(answers.receive(mixed) == .init())
        #expect(time(NMEA.fix(at: "123521")) != nil)
    }

    @Test("a report without a fix is passed on, also without a time, and repeated without one")
    mutating func noFix() {
        let cold = NMEA.sentence("GPRMC,,V,,,,,,,,,,N")
        for _ in 0..<2 {
            #expect(
                answers.receive(cold)
                    == .init(reports: [.position(PositionReport(device: "modem:1-1", mode: .noFix))]))
        }
        let result = answers.receive(NMEA.withoutFix(at: "123519"))
        #expect(result.isNew)
        #expect(result.reports.count == 2)
    }

    @Test("a modem that repeats itself counts as silent after a few answers, until one is new")
    mutating func silence() {
        _ = answers.receive(nil)
        _ = answers.receive(NMEA.fix(at: "123519"))
        for _ in 1..<ModemAnswers.silence { _ = answers.receive(NMEA.fix(at: "123519")) }
        #expect(!answers.isSilent)
        _ = answers.receive(NMEA.fix(at: "123519"))
        #expect(answers.isSilent && answers.hasSentences)
        _ = answers.receive("nonsense")
        #expect(answers.isSilent && !answers.hasSentences)
        _ = answers.receive(NMEA.fix(at: "123600"))
        #expect(!answers.isSilent)
    }

    @Test("a query that was sent too early is repeated soon, but only once")
    func pace() {
        var pace = ModemPace()
        #expect(pace.delay(afterNew: true) == ModemPace.interval)
        #expect(pace.delay(afterNew: false) == ModemPace.retry)
        #expect(pace.delay(afterNew: false) == ModemPace.interval)
        #expect(pace.delay(afterNew: false) == ModemPace.interval)
        #expect(pace.delay(afterNew: true) == ModemPace.interval)
        #expect(pace.delay(afterNew: false) == ModemPace.retry)
    }
}
