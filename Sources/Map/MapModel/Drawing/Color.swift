/// A colour with light and dark variants.
public struct Color: Hashable, Sendable {
    /// Red, green, blue and opacity, each 0 to 1, in sRGB.
    struct Components: Hashable, Sendable {
        var red: Double
        var green: Double
        var blue: Double
        var alpha: Double

        init(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) {
            func clamp(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
            (self.red, self.green, self.blue, self.alpha) = (clamp(red), clamp(green), clamp(blue), clamp(alpha))
        }

        /// The notation of CSS and SVG: `#rrggbb` or `#rrggbbaa`.
        var css: String {
            func hex(_ value: Double) -> String {
                let byte = String(Int((value * 255).rounded()), radix: 16)
                return byte.count < 2 ? "0" + byte : byte
            }
            return "#" + hex(red) + hex(green) + hex(blue) + (alpha < 1 ? hex(alpha) : "")
        }
    }

    let light: Components
    let dark: Components

    /// Creates a colour from `red`, `green`, `blue` and opacity `alpha`, each 0 to 1, in sRGB; the same in both
    /// variants. The opacity's default is 1.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        light = Components(red, green, blue, alpha)
        dark = light
    }

    /// Creates a shade of grey from `white`, 0 (black) to 1 (white), with opacity `alpha`, 0 to 1; the same in both
    /// variants. The opacity's default is 1.
    public init(white: Double, alpha: Double = 1) { self.init(red: white, green: white, blue: white, alpha: alpha) }

    /// Creates a colour with a light and a dark variant.
    public init(light: Color, dark: Color) {
        self.light = light.light
        self.dark = dark.dark
    }

    private init(_ light: (Double, Double, Double), dark: (Double, Double, Double)) {
        self.light = Components(light.0 / 255, light.1 / 255, light.2 / 255, 1)
        self.dark = Components(dark.0 / 255, dark.1 / 255, dark.2 / 255, 1)
    }

    init(light: Components, dark: Components) {
        self.light = light
        self.dark = dark
    }

    /// Returns the same colour with opacity `alpha`, 0 (transparent) to 1 (opaque).
    public func withAlpha(_ alpha: Double) -> Color {
        Color(
            light: Components(light.red, light.green, light.blue, alpha),
            dark: Components(dark.red, dark.green, dark.blue, alpha))
    }

    /// Returns the notation of CSS, `#rrggbb` or `#rrggbbaa`, of the light variant or, if `isDark` is true, of the dark
    /// one.
    public func css(isDark: Bool = false) -> String { isDark ? dark.css : light.css }
}

/// The system colours of iOS (Apple, Human Interface Guidelines, "Color").
extension Color {
    /// Red, the colour of pins for destinations.
    public static let red = Color((255, 59, 48), dark: (255, 69, 58))
    /// Orange.
    public static let orange = Color((255, 149, 0), dark: (255, 159, 10))
    /// Yellow.
    public static let yellow = Color((255, 204, 0), dark: (255, 214, 10))
    /// Green, the colour of pins for starting points.
    public static let green = Color((52, 199, 89), dark: (48, 209, 88))
    /// Mint.
    public static let mint = Color((0, 199, 190), dark: (99, 230, 226))
    /// Teal.
    public static let teal = Color((48, 176, 199), dark: (64, 200, 224))
    /// Cyan.
    public static let cyan = Color((50, 173, 230), dark: (100, 210, 255))
    /// Blue, the colour of the user's location.
    public static let blue = Color((0, 122, 255), dark: (10, 132, 255))
    /// Indigo.
    public static let indigo = Color((88, 86, 214), dark: (94, 92, 230))
    /// Purple, the colour of pins that the user has set.
    public static let purple = Color((175, 82, 222), dark: (191, 90, 242))
    /// Pink.
    public static let pink = Color((255, 45, 85), dark: (255, 55, 95))
    /// Brown.
    public static let brown = Color((162, 132, 94), dark: (172, 142, 104))
    /// Gray.
    public static let gray = Color((142, 142, 147), dark: (142, 142, 147))
    /// Black in both variants.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// White in both variants.
    public static let white = Color(red: 1, green: 1, blue: 1)
    /// Fully transparent.
    public static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
    /// The colour of text: black, and white in the dark variant.
    public static let label = Color(light: .black, dark: .white)
    /// The background of text: white, and almost black in the dark variant.
    public static let background = Color((255, 255, 255), dark: (28, 28, 30))
}
