/// Standard pictures for annotation views.
extension Drawing {
    /// A cluster's view as in Apple's sample "Decluttering a map with MapKit annotations": a ring divided in proportion
    /// to `shares`, with `text`, usually a count, in its middle. Shares that are not positive are omitted; without any,
    /// the ring is gray.
    public static func pie(_ shares: [(share: Double, color: Color)], text: String, diameter: Double = 40) -> Drawing {
        let shares = shares.filter { $0.share > 0 && $0.share.isFinite }
        let total = shares.reduce(0) { $0 + $1.share }
        let radius = diameter / 2
        var drawing = Drawing(width: diameter, height: diameter)
        drawing.addCircle(
            x: radius, y: radius, radius: radius, Paint(fill: shares.count == 1 ? shares[0].color : .gray))
        if shares.count > 1 {
            var angle = 0.0
            for (share, color) in shares {
                let end = angle + 360 * share / total
                if end - angle > 359 {
                    // An arc that ends at its start would be empty.
                    drawing.addCircle(x: radius, y: radius, radius: radius, Paint(fill: color))
                } else {
                    var slice = DrawingPath()
                    slice.move(toX: radius, y: radius)
                    slice.addArc(centerX: radius, centerY: radius, radius: radius, from: angle, to: end)
                    slice.close()
                    drawing.addPath(slice, Paint(fill: color))
                }
                angle = end
            }
        }
        drawing.addCircle(x: radius, y: radius, radius: radius * 0.7, Paint(fill: .background))
        drawing.addText(text, x: radius, y: radius, size: fontSize(for: text, within: diameter * 0.6), isBold: true)
        return drawing
    }

    /// A disc of `color` with `glyph`, one to three letters or an emoji, and a white rim.
    public static func disc(_ color: Color, glyph: String = "", diameter: Double = 30) -> Drawing {
        let radius = diameter / 2
        var drawing = Drawing(width: diameter, height: diameter)
        drawing.addCircle(
            x: radius, y: radius, radius: radius - 1, Paint(fill: color, stroke: .white, lineWidth: 2))
        if !glyph.isEmpty {
            let size = fontSize(for: glyph, within: diameter * 0.7)
            drawing.addText(glyph, x: radius, y: radius, size: size, isBold: true, color: .white)
        }
        return drawing
    }

    /// The font size for `text` in this width, bold letters being six tenths as wide as high; at most two thirds of the
    /// width.
    private static func fontSize(for text: String, within width: Double) -> Double {
        min(width / (0.6 * Double(max(1, text.count))), width * 0.67)
    }
}
