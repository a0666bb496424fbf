import CommandLineSupport
import Testing

@testable import locationctl

@Suite("Tables and reports in a terminal", .timeLimit(.minutes(10)))
struct TableTests {
    private static let header = ["client", "allowed", "name"]
    private static let rows = [
        ["org.example.a.long.identifier", "while in use", "Door"],
        ["org.example.b", "always", "The lamp of the tower"],
    ]

    @Test("without a terminal, and in a wide one, a row is one line", arguments: [nil, 80, 67])
    func oneLine(width: Int?) {
        #expect(
            Table.lines(Self.header, Self.rows, width: width) == [
                "client                         allowed       name",
                "org.example.a.long.identifier  while in use  Door",
                "org.example.b                  always        The lamp of the tower",
            ])
    }

    @Test("in a narrow terminal the last columns take a line of their own")
    func twoLines() {
        #expect(
            Table.lines(Self.header, Self.rows, width: 66) == [
                "client                         allowed",
                "    name",
                "org.example.a.long.identifier  while in use",
                "    Door",
                "org.example.b                  always",
                "    The lamp of the tower",
            ])
    }

    @Test("a column that may be wrapped is, if that leaves it a readable width")
    func wrappedColumn() {
        let rows = [["1", "from 22:00 to 06:00 on weekdays, within 200 m of home: nobody", "applies"]]
        #expect(
            Table.lines(["id", "rule", "now"], rows, width: 60, wrapping: 1) == [
                "id  rule                                            now",
                "1   from 22:00 to 06:00 on weekdays, within 200 m   applies",
                "    of home: nobody",
            ])
        #expect(
            Table.lines(["id", "rule", "now"], rows, width: 40, wrapping: 1) == [
                "id  rule",
                "    now",
                "1   from 22:00 to 06:00 on weekdays,",
                "    within 200 m of home: nobody",
                "    applies",
            ])
    }

    @Test("nothing is wider than the terminal, and nothing is lost", arguments: 20...90)
    func widths(width: Int) {
        let name = String(repeating: "x", count: 100) + " 東京 end"
        let rows = Self.rows + [["org.example.c", "", name]]
        let lines = Table.lines(Self.header, rows, width: width)
        #expect(lines.allSatisfy { $0.cells < width })
        let letters = { (texts: [String]) in texts.joined().filter { $0 != " " }.count }
        #expect(letters(lines) == letters(Self.header + rows.flatMap { $0 }))
    }

    @Test("a report's line is wrapped below its text, and its command is not broken")
    func hanging() {
        let line =
            "  wifi      needs a server, which learns where you are. To name it, run: sudo locationctl sources enable"
        #expect([line].hanging(12, width: nil) == [line])
        #expect(
            [line].hanging(12, width: 50) == [
                "  wifi      needs a server, which learns where",
                "            you are. To name it, run:",
                "            sudo locationctl sources enable",
            ])
        #expect(["  at  /a/very/long/path/that/fills/it, or"].hanging(6, width: 40).last == "      or")
    }
}
