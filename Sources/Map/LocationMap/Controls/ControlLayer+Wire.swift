import MapModel

extension ControlLayer {
    /// The highlighted icons in the light page, `--accent` in page.css.
    static let lightAccent = Color(red: 0x0a / 255.0, green: 0x6c / 255.0, blue: 1)
    /// The highlighted icons in the dark page.
    static let darkAccent = Color(red: 0x5a / 255.0, green: 0xa7 / 255.0, blue: 1)
    /// The land of the map, as in palette.js.
    static let land = Color(
        light: Color(red: 0xf6 / 255.0, green: 0xf2 / 255.0, blue: 0xe9 / 255.0),
        dark: Color(red: 0x29 / 255.0, green: 0x2c / 255.0, blue: 0x32 / 255.0))
    /// The land below satellite images, as in palette.js.
    static let imagery = Color(red: 0x27 / 255.0, green: 0x40 / 255.0, blue: 0x4f / 255.0)

    /// The form for pages; `nil` for the page's style.
    var wire: WireControlLayer? {
        guard self != ControlLayer() else { return nil }
        var wire = WireControlLayer(
            border: borderColor.wire, borderWidth: borderWidth, cornerRadius: cornerRadius,
            masksToBounds: masksToBounds)
        guard let backgroundColor else { return wire }
        wire.background = backgroundColor.wire
        wire.inks = Self.inks(on: backgroundColor.over(Self.land))
        wire.imageryInks = Self.inks(on: backgroundColor.over(Self.imagery))
        return wire
    }

    private static func inks(on background: Color) -> WireInks {
        WireInks(text: background.text.wire, accent: accent(on: background).wire)
    }

    /// The colour of highlighted icons on `background`: in each variant the page's accent, that of the other variant, or the
    /// colour of text, whichever first has a contrast of 3.
    static func accent(on background: Color) -> Color {
        func accent(isDark: Bool) -> Color {
            let accents = isDark ? [darkAccent, lightAccent] : [lightAccent, darkAccent]
            return accents.first { $0.contrast(to: background, isDark: isDark) >= 3 } ?? background.text
        }
        return Color(light: accent(isDark: false), dark: accent(isDark: true))
    }
}
