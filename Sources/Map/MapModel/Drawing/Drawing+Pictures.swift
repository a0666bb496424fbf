/// Standard pictures for annotation views.
extension Drawing {
    /// Returns a cluster's picture as in Apple's sample "Decluttering a map with MapKit annotations": a ring divided in
    /// proportion to `shares`, with `text`, usually a count, at its centre.
    ///
    /// Shares of 0 or less are left out; without any share the ring is gray. The diameter is in pixels; default 40.
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
                    // SVG draws nothing for an arc that ends at its start.
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

    /// Returns a disc of `color` with a white rim and with `glyph`, one to three letters or an emoji. The diameter is
    /// in pixels; default 30.
    public static func disc(_ color: Color, glyph: String = "", diameter: Double = 30) -> Drawing {
        let radius = diameter / 2
        var drawing = Drawing(width: diameter, height: diameter)
        drawing.addCircle(
            x: radius, y: radius, radius: radius - 1, Paint(fill: color, stroke: .white, lineWidth: 2))
        if !glyph.isEmpty {
            let size = fontSize(for: glyph, within: diameter * 0.7)
            drawing.addText(glyph, x: radius, y: radius, size: size, isBold: true, color: color.text)
        }
        return drawing
    }

    /// Returns the font size for `text` in this width: bold letters are six tenths as wide as high. At most two thirds
    /// of the width.
    private static func fontSize(for text: String, within width: Double) -> Double {
        min(width / (0.6 * Double(max(1, text.count))), width * 0.67)
    }
}
