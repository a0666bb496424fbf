import PlaceSearch
import Testing

@Suite("Opening hours", .timeLimit(.minutes(10)))
struct OpeningTimesTests {
    @Test(
        "the simple forms are written as people read them",
        arguments: [
            ("Mo-Fr 08:00-18:00", ["Mon to Fri 8:00–18:00"]),
            (
                "Mo-Fr 08:00-12:00,13:30-18:00; Sa 09:00-16:00",
                ["Mon to Fri 8:00–12:00, 13:30–18:00", "Sat 9:00–16:00"]
            ),
            (
                "Mo-Fr 08:00-12:00, 13:30-18:00, Sa 9:00-16:00",
                ["Mon to Fri 8:00–12:00, 13:30–18:00", "Sat 9:00–16:00"]
            ),
            ("24/7", ["24 hours"]), ("10:00-22:00", ["Daily 10:00–22:00"]), ("Mo-Su 00:00-24:00", ["24 hours"]),
            ("Mo 18:00-24:00", ["Mon 18:00–24:00"]), ("Mo 18:00-00:00", ["Mon 18:00–24:00"]),
            ("Fr,Sa 18:00-02:00", ["Fri, Sat 18:00–2:00"]), ("Mo,We,Fr 10:00-12:00", ["Mon, Wed, Fri 10:00–12:00"]),
            ("Mo-Su 08:00-20:00; We off", ["Mon, Tue, Thu to Sun 8:00–20:00"]),
            ("Sa-Mo 10:00-17:00", ["Mon, Sat, Sun 10:00–17:00"]), ("Mo 00:00-24:00", ["Mon all day"]),
            ("Mo-Fr 08:00-18:00; PH off", ["Mon to Fri 8:00–18:00", "Public holidays closed"]),
            ("Mo-Sa,PH 08:00-20:00", ["Mon to Sat 8:00–20:00", "Public holidays 8:00–20:00"]),
        ])
    func forms(text: String, lines: [String]) { #expect(OpeningTimes(text)?.lines == lines) }

    @Test(
        "more than the hours of a week is left as it stands",
        arguments: [
            "", ";", "Mo", "Apr-Oct Mo-Fr 08:00-18:00", "sunrise-sunset", "Mo-Fr 08:00+",
            "Mo-Fr 08:00-18:00 \"by appointment\"",
            "week 1-10 Mo 08:00-09:00", "Mo[1] 08:00-09:00", "Mo-Fr 25:00-26:00", "Mo-Fr 8-18", "Mo-Fr 08:00-08:00",
            "Mo-Xx 08:00-09:00", "08:00-09:00 off", "Mo-Fr 08:60-09:00", "SH off", "Mo-Tu-We 08:00-09:00", "off",
            "Tu 09:00-12:00; 13:00-18:30", "08:00-12:00, Sa 09:00-10:00", "Mo,Do 08:00-09:00", "Mo 08.30-22.00",
            String(repeating: "Mo 08:00-09:00;", count: 100),
        ])
    func others(_ text: String) { #expect(OpeningTimes(text) == nil) }

    @Test("the week has the minutes of each time, unless holidays decide")
    func week() {
        #expect(OpeningTimes("Mo 08:00-18:00; Su 18:00-02:00")?.week == [[480, 1080], [9720, 10200]])
        #expect(OpeningTimes("Mo 18:00-24:00")?.week == [[1080, 1440]])
        #expect(OpeningTimes("24/7")?.week.count == 7)
        #expect(OpeningTimes("Mo 08:00-18:00; PH off")?.week == [[480, 1080]])
        #expect(OpeningTimes("Mo 08:00-18:00; PH off")?.hasHolidayTimes == true)
        #expect(OpeningTimes("Mo 08:00-18:00")?.hasHolidayTimes == false)
        #expect(OpeningTimes("Mo-Fr 08:00-18:00; Tu off; Tu 10:00-11:00")?.week[1] == [1440 + 600, 1440 + 660])
    }
}
