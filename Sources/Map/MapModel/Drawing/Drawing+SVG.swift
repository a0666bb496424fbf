extension Drawing {
    /// Returns the picture as an SVG document (W3C, Scalable Vector Graphics 1.1, second edition), in its light variant
    /// or, if `isDark` is true, in its dark one.
    public func svg(isDark: Bool = false) -> String {
        let size = "width=\"\(number(width))\" height=\"\(number(height))\""
        let box = "viewBox=\"0 0 \(number(width)) \(number(height))\""
        let shapes = elements.map { $0.svg(isDark: isDark) }.joined()
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) \(box)>\(shapes)</svg>"
    }
}

extension Drawing.Element {
    fileprivate func svg(isDark: Bool) -> String {
        switch self {
        case .circle(let x, let y, let radius, let paint):
            "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(length(radius))\"\(paint.svg(isDark))/>"
        case .rectangle(let x, let y, let width, let height, let cornerRadius, let paint):
            "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(length(width))\" height=\"\(length(height))\""
                + " rx=\"\(length(cornerRadius))\"\(paint.svg(isDark))/>"
        case .path(let path, let paint): "<path d=\"\(path.svg)\"\(paint.svg(isDark))/>"
        case .text(let text, let x, let y, let size, let isBold, let alignment, let color):
            // A baseline a third of the size below the middle centres capitals and digits; not all browsers support
            // dominant-baseline in pictures.
            "<text x=\"\(number(x))\" y=\"\(number(y + size * 0.35))\" font-family=\"system-ui, sans-serif\""
                + " font-size=\"\(length(size))\" font-weight=\"\(isBold ? "700" : "400")\""
                + " text-anchor=\"\(alignment.svg)\" fill=\"\(color.css(isDark: isDark))\">\(escaped(text))</text>"
        }
    }
}

extension Drawing.Paint {
    fileprivate func svg(_ isDark: Bool) -> String {
        let inside = " fill=\"\(fill?.css(isDark: isDark) ?? "none")\""
        guard let stroke else { return inside }
        return inside + " stroke=\"\(stroke.css(isDark: isDark))\" stroke-width=\"\(length(lineWidth))\""
            + " stroke-linejoin=\"round\" stroke-linecap=\"round\""
    }
}

extension Drawing.TextAlignment {
    fileprivate var svg: String {
        switch self {
        case .leading: "start"
        case .center: "middle"
        case .trailing: "end"
        }
    }
}

extension DrawingPath {
    fileprivate var svg: String {
        func text(_ point: Point) -> String { "\(number(point.x)) \(number(point.y))" }
        return steps.map { step in
            switch step {
            case .move(let point): "M\(text(point))"
            case .line(let point): "L\(text(point))"
            case .curve(let end, let control1, let control2): "C\(text(control1)) \(text(control2)) \(text(end))"
            case .arc(let end, let radius, let isLarge):
                "A\(length(radius)) \(length(radius)) 0 \(isLarge ? 1 : 0) 1 \(text(end))"
            case .close: "Z"
            }
        }.joined()
    }
}

/// `value` rounded to a hundredth, without an exponent and clamped to ±1,000,000; 0 if it is not finite.
private func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1e6), 1e6) * 100).rounded())
    let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
    let sign = hundredths < 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
}

/// Like `number`, but not negative.
private func length(_ value: Double) -> String { number(max(0, value)) }

/// `text` with XML's special characters as references, and characters that XML forbids as U+FFFD.
private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x26: escaped += "&amp;"
        case 0x3C: escaped += "&lt;"
        case 0x3E: escaped += "&gt;"
        case 0x22: escaped += "&quot;"
        case 0x27: escaped += "&#39;"
        case 0x09, 0x0A, 0x0D: escaped += " "
        case ..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: escaped.unicodeScalars.append("\u{FFFD}")
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
