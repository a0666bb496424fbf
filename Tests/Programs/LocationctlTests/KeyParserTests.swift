import SeededRandom
import Testing

@testable import locationctl

@Suite(.timeLimit(.minutes(10))) struct KeyParserTests {
    struct Typed: CustomTestStringConvertible {
        var bytes: String
        var keys: [Key]
        var testDescription: String { bytes.debugDescription }

        init(_ bytes: String, _ keys: Key...) { (self.bytes, self.keys) = (bytes, keys) }
    }

    static let table = [
        Typed("q", .character("q")),
        Typed("f+-", .character("f"), .character("+"), .character("-")),
        Typed("\u{1b}[A\u{1b}[B\u{1b}[C\u{1b}[D", .up, .down, .right, .left),
        Typed("\u{1b}OA\u{1b}OB\u{1b}OC\u{1b}OD", .up, .down, .right, .left),
        Typed("\u{1b}[1;5Cq", .right, .character("q")),
        // Alt with a key, function keys, the Linux console's function keys, paging.
        Typed("\u{1b}q?", .character("?")),
        Typed("\u{1b}[15~\u{1b}OPr", .character("r")),
        Typed("\u{1b}[[Aq", .character("q")),
        Typed("\u{1b}[5~\u{1b}[H\u{1b}[3;2~n", .character("n")),
        // Reports of the mouse in the old form and the new, of the focus, of the cursor.
        Typed("\u{1b}[M qqf", .character("f")),
        Typed("\u{1b}[<0;10;20Mf\u{1b}[Ic\u{1b}[24;80Rn", .character("f"), .character("c"), .character("n")),
        // Strings that a terminal may answer with.
        Typed("\u{1b}]11;rgb:qqqq/ffff/rrrr\u{7}f", .character("f")),
        Typed("\u{1b}P>|qqq\u{1b}\\c", .character("c")),
        // Characters beyond ASCII, control characters, and a broken one of the former.
        Typed("äq€f😀c", .character("q"), .character("f"), .character("c")),
        Typed("\u{0}\t\r\n\u{7f}f", .character("f")),
        // What is pasted, even if it looks like keys or like the end of the text.
        Typed("\u{1b}[200~quit\nq\u{1b}[Aq\u{1b}[201\u{1b}[201~f", .character("f")),
        // An escape that begins anew.
        Typed("\u{1b}\u{1b}[A", .up),
        Typed("\u{1b}[12\u{1b}[B", .down),
        Typed("\u{1b}[\(String(repeating: "1;", count: 5000))Aq", .up, .character("q")),
    ]

    @Test(arguments: table) func inOnePiece(_ typed: Typed) {
        var parser = KeyParser()
        #expect(parser.read(typed.bytes.utf8, at: .seconds(1)) == typed.keys)
    }

    @Test(arguments: table) func inPieces(_ typed: Typed) {
        let bytes = Array(typed.bytes.utf8)
        for size in [1, 2, 3, 5] {
            var parser = KeyParser()
            var now = Duration.seconds(1)
            var keys: [Key] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                keys += parser.read(bytes[start..<min(start + size, bytes.count)], at: now)
                now += .microseconds(100)
            }
            #expect(keys == typed.keys, "in pieces of \(size)")
        }
    }

    @Test func loneEscapeEndsSoon() {
        var parser = KeyParser()
        #expect(parser.read([0x1b], at: .seconds(1)) == [])
        #expect(parser.read("q".utf8, at: .seconds(2)) == [.character("q")])
        #expect(parser.read("\u{1b}[".utf8, at: .seconds(3)) == [])
        #expect(parser.read("A".utf8, at: .seconds(3.5)) == [.up])
    }

    @Test func whatNeverEndsIsGivenUp() {
        for beginning in ["\u{1b}[200~text", "\u{1b}]0;title", "\u{1b}[1;", "\u{1b}[M", "\u{1b}[200~\u{1b}[20"] {
            var parser = KeyParser()
            _ = parser.read(beginning.utf8, at: .seconds(1))
            #expect(parser.read("q".utf8, at: .seconds(5)) == [.character("q")])
        }
    }

    @Test func anyBytesLeaveParserUsable() {
        var generator = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            var parser = KeyParser()
            let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = parser.read(bytes, at: .seconds(1))
            #expect(parser.read("q".utf8, at: .seconds(60)) == [.character("q")])
        }
    }
}
