import Testing
import TextSupport

struct PlaceholderTests {
    @Test(
        "values take the place of placeholders, once",
        arguments: [
            ("{file}: {reason}", "{reason}: gone"), ("{reason} {reason}", "gone gone"),
            ("no {other} one", "no {other} one"),
            ("an open {brace", "an open {brace"), ("}{", "}{"), ("", ""),
        ])
    func filled(text: String, expected: String) {
        #expect(text.filled(with: ["file": "{reason}", "reason": "gone"]) == expected)
    }
}
