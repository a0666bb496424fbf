import MapModel
import SeededRandom
import Testing

@Suite(.timeLimit(.minutes(10))) struct DrawingTests {
    @Test("text is escaped")
    func textIsEscaped() {
        var drawing = Drawing(width: 10, height: 10)
        drawing.addText("</text><script>alert(\"1\")</script>&'\u{0}\u{8}\u{FFFE}\n", x: 0, y: 0, size: 12)
        let svg = drawing.svg()
        #expect(!svg.contains("<script"))
        #expect(
            svg.contains(
                "&lt;/text&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;\u{FFFD}\u{FFFD}\u{FFFD} </text>"
            ))
    }

    @Test("numbers are written as XML parsers expect them")
    func numbersAreValidXML() {
        var drawing = Drawing(width: 1e300, height: -.infinity)
        drawing.addCircle(x: .nan, y: 1e-9, radius: -3, .init(fill: .red, stroke: .blue, lineWidth: .infinity))
        drawing.addRectangle(x: -0.004, y: 2.5, width: 1.005, height: 10.1, cornerRadius: 1.05, .init())
        let svg = drawing.svg()
        #expect(svg.contains("width=\"1000000\" height=\"0\""))
        #expect(svg.contains("<circle cx=\"0\" cy=\"0\" r=\"0\""))
        #expect(svg.contains("stroke-width=\"0\""))
        #expect(svg.contains("x=\"0\" y=\"2.5\""))
        #expect(svg.contains("height=\"10.1\" rx=\"1.05\""))
        let numbers = svg.split(separator: "\"").filter { $0.first?.isNumber == true || $0.first == "-" }
        #expect(numbers.allSatisfy { $0.allSatisfy { "0123456789.- ".contains($0) } })
    }

    /// Random drawings contain only the elements and attributes of this type.
    @Test("only shapes and text are written", arguments: 0..<20)
    func onlyShapesAndTextAreWritten(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "<", ">", "\"", "'", "&", "script", "href=", "javascript:", "]]>", "<!--", "é", "🚲", "\u{1}", " ",
            "onload=",
        ]
        var drawing = Drawing(width: 40, height: 40)
        for _ in 0..<10 {
            let text = (0..<8).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            drawing.addText(text, x: .random(in: -9...9, using: &random), y: 1, size: 9)
            drawing.add(.pie([(1, .red), (2, .green)], text: text), x: 3, y: 4)
            drawing.add(.disc(.purple, glyph: text))
        }
        let svg = drawing.svg(isDark: seed % 2 == 0)
        let tags = svg.split(separator: "<").map { $0.prefix { $0 != " " && $0 != ">" } }
        #expect(Set(tags).isSubset(of: ["svg", "/svg", "circle", "path", "rect", "text", "/text"]))
        #expect(svg.split(separator: "<").allSatisfy { $0.filter { $0 == ">" }.count == 1 })
        let attributes = svg.split(separator: "<").flatMap { tag in
            tag.prefix { $0 != ">" }.split(separator: "=\"").dropLast().compactMap { $0.split(separator: " ").last }
        }
        let known: Set<Substring> = [
            "xmlns", "width", "height", "viewBox", "cx", "cy", "r", "x", "y", "rx", "d", "fill", "stroke",
            "stroke-width",
            "stroke-linejoin", "stroke-linecap", "font-family", "font-size", "font-weight", "text-anchor",
        ]
        #expect(Set(attributes).isSubset(of: known))
    }

    @Test("a pie has a slice for each positive share")
    func pieHasSliceForEachShare() {
        func paths(_ drawing: Drawing) -> Int {
            drawing.svg().split(separator: "<path", omittingEmptySubsequences: false).count - 1
        }
        #expect(paths(.pie([(3, .red), (1, .blue), (0, .green), (-1, .pink), (.nan, .mint)], text: "4")) == 2)
        #expect(paths(.pie([(3, .red)], text: "3")) == 0)
        #expect(paths(.pie([], text: "0")) == 0)
        let quarter = Drawing.pie([(1, .red), (3, .blue)], text: "4", diameter: 40).svg()
        #expect(quarter.contains("<path d=\"M20 20L20 0A20 20 0 0 1 40 20Z\" fill=\"#ff3b30\"/>"))
        #expect(quarter.contains("<path d=\"M20 20L40 20A20 20 0 1 1 20 0Z\" fill=\"#007aff\"/>"))
    }

    @Test("colours have a dark variant")
    func coloursHaveADarkVariant() {
        #expect(Color.red.css() == "#ff3b30" && Color.red.css(isDark: true) == "#ff453a")
        #expect(Color(red: 2, green: -1, blue: .nan, alpha: 0.5).css() == "#ff000080")
        #expect(Color.blue.withAlpha(0.25).css(isDark: true) == "#0a84ff40")
        #expect(Color(light: .white, dark: .black).css(isDark: true) == "#000000")
    }
}
