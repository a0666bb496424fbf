import CommandLineSupport
import SeededRandom
import Testing

@testable import locationctl

/// As much of a terminal as the painter needs: what it is sent, it shows.
private struct ShownScreen {
    private(set) var cells: [[Unicode.Scalar]]
    private var column = 0
    private var row = 0

    init(_ size: Size) {
        cells = Array(repeating: Array(repeating: "?", count: size.columns), count: size.rows)
    }

    mutating func receive(_ text: String) throws {
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            guard scalar == "\u{1b}" else {
                cells[row][column] = scalar
                column += 1
                continue
            }
            let bracket = scalars.popFirst()
            try #require(bracket == "[")
            let parameters = scalars.prefix { !$0.properties.isAlphabetic }
            scalars = scalars.dropFirst(parameters.count)
            let numbers = String(parameters).split(separator: ";").compactMap { Int($0) }
            let end = scalars.popFirst()
            switch end {
            case "H": (row, column) = (numbers[0] - 1, numbers[1] - 1)
            case "J": for row in cells.indices { for column in cells[row].indices { cells[row][column] = " " } }
            case "m", "h", "l": break
            default: Issue.record(Comment(rawValue: "an unknown sequence ends with \(end, default: "nothing")"))
            }
        }
    }

    var text: String {
        cells.map { row in
            var line = String.UnicodeScalarView(row)
            while line.last == " " { line.removeLast() }
            return String(line)
        }.joined(separator: "\n")
    }
}

@Suite(.timeLimit(.minutes(10))) struct PainterTests {
    @Test func whatIsSentIsWhatIsToBeShown() throws {
        var generator = SeededGenerator(seed: 11)
        let size = Size(columns: 30, rows: 8)
        var screen = Screen(size: size, charset: .unicode)
        var shown = ShownScreen(size)
        var painter = ScreenPainter(usesColours: true)
        for _ in 0..<300 {
            for _ in 0..<Int.random(in: 0...20, using: &generator) {
                screen[Int.random(in: 0..<30, using: &generator), Int.random(in: 0..<8, using: &generator)] = Cell(
                    scalar: ["a", "⣿", " ", "°"].randomElement(using: &generator)!,
                    style: Style.allCases.randomElement(using: &generator)!)
            }
            try shown.receive(painter.paint(screen))
            #expect(shown.text == screen.text)
        }
        // After somebody else has written, everything is sent again.
        shown = ShownScreen(size)
        painter.forget()
        try shown.receive(painter.paint(screen))
        #expect(shown.text == screen.text)
    }

    @Test func onlyChangesAreSent() {
        var painter = ScreenPainter(usesColours: true)
        var screen = Screen(size: Size(columns: 80, rows: 24), charset: .unicode)
        screen.put("12.3 km/h", column: 5, row: 3)
        _ = painter.paint(screen)
        #expect(painter.paint(screen) == "")
        screen.put("12.4 km/h", column: 5, row: 3)
        #expect(painter.paint(screen) == "\u{1b}[?2026h\u{1b}[4;9H4\u{1b}[0m\u{1b}[?2026l")
    }

    @Test func aFrameOfAWalkIsSmall() {
        var painter = ScreenPainter(usesColours: true)
        var journey = Journey()
        var place = journey.go(from: .park, seconds: 60, speed: 1.4, towards: 68)
        _ = painter.paint(journey.screen(80, 24))
        var bytes = 0
        for _ in 0..<10 {
            place = journey.go(from: place, seconds: 1, speed: 1.4, towards: 68)
            bytes += painter.paint(journey.screen(80, 24)).utf8.count
        }
        #expect(bytes < 10 * 1200, "\(bytes / 10) bytes a second of walking")
    }

    @Test func coloursOnlyWhereRequested() {
        var screen = Screen(size: Size(columns: 20, rows: 10), charset: .unicode)
        for (row, style) in Style.allCases.enumerated() { screen.put("x", column: 0, row: row, style: style) }
        var (colourful, sober) = (ScreenPainter(usesColours: true), ScreenPainter(usesColours: false))
        #expect(colourful.paint(screen).contains(";33m"))
        let text = sober.paint(screen)
        for colour in 30...37 { #expect(!text.contains(";\(colour)m")) }
        #expect(text.contains(";1m"))
    }

    @Test func textOfAnyOriginCannotSteerTheTerminal() {
        let text = "a\u{1b}[2Jb\u{7}\nc\u{202e}d\u{301}漢e\u{200d}😀f\u{9b}"
        for charset in [Charset.unicode, .ascii] {
            var screen = Screen(size: Size(columns: 40, rows: 2), charset: charset)
            screen.put(text, column: 0, row: 0)
            #expect(screen.text == "a?[2Jb??c?d??e??f?\n")
        }
        #expect(Charset.ascii.spell("±3 m, 52.5° “N” − …") == "+/-3 m, 52.5 \"N\" - ...")
        #expect(Charset.unicode.spell("±3 m, 52.5° “N” − …") == "±3 m, 52.5° “N” − …")
    }

    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], Charset.unicode), (["LC_ALL": "C.utf8", "LANG": "C"], .unicode), ([:], .ascii),
        (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], .ascii), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8"], .unicode),
        (["LANG": "de_DE.ISO-8859-1"], .ascii),
    ])
    func charsetOfALocale(_ environment: [String: String], charset: Charset) {
        #expect(Charset.of { environment[$0] } == charset)
    }
}
