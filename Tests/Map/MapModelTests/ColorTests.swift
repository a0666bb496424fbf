import MapModel
import Testing

/// Contrast by WCAG 2.2, whose examples are black on white, 21, and #777 on white, 4.48.
@Suite struct ColorTests {
    private static let system: [Color] = [
        .red, .orange, .yellow, .green, .mint, .teal, .cyan, .blue, .indigo, .purple, .pink, .brown, .gray, .black,
        .white,
    ]

    @Test("contrast is that of the guidelines")
    func contrastIsThatOfGuidelines() {
        #expect(abs(Color.black.contrast(to: .white) - 21) < 0.01)
        let grey = Color(red: 119.0 / 255, green: 119.0 / 255, blue: 119.0 / 255)
        #expect(
            abs(grey.contrast(to: .white) - 4.48) < 0.01 && grey.contrast(to: .white) == Color.white.contrast(to: grey))
        #expect(Color.red.contrast(to: .red) == 1)
    }

    @Test("text on every colour has a contrast of at least 4.5, light and dark", arguments: system)
    func textIsLegible(color: Color) {
        for isDark in [false, true] { #expect(color.text.contrast(to: color, isDark: isDark) >= 4.5) }
    }

    @Test("text is white wherever that suffices")
    func textIsWhiteWhereThatSuffices() {
        #expect(Color.indigo.text.css() == "#ffffff")
        #expect(Color.orange.text.css() == "#000000")
    }
}
