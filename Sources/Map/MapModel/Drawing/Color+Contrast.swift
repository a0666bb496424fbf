import Glibc

// Contrast by the Web Content Accessibility Guidelines 2.2: at least 4.5 for text, 3 for graphics.

extension Color {
    /// Returns the contrast of two opaque colours, of their light variants or, if `isDark` is true, of their dark ones:
    /// from 1 for the same colour to 21 for black on white.
    package func contrast(to other: Color, isDark: Bool = false) -> Double {
        let luminances = [self, other].map { isDark ? $0.dark.luminance : $0.light.luminance }
        return (max(luminances[0], luminances[1]) + 0.05) / (min(luminances[0], luminances[1]) + 0.05)
    }

    /// Returns the opaque colour that is seen if this one lies on the opaque colour `ground`, in each variant.
    package func over(_ ground: Color) -> Color {
        Color(light: light.over(ground.light), dark: dark.over(ground.dark))
    }

    /// The colour of text on this one, separately in each variant: white if its contrast suffices, otherwise black, whose
    /// contrast does then.
    package var text: Color {
        func text(isDark: Bool) -> Color { contrast(to: .white, isDark: isDark) >= 4.5 ? .white : .black }
        return Color(light: text(isDark: false), dark: text(isDark: true))
    }
}

extension Color.Components {
    fileprivate func over(_ ground: Self) -> Self {
        func mix(_ top: Double, _ bottom: Double) -> Double { top * alpha + bottom * (1 - alpha) }
        return Self(mix(red, ground.red), mix(green, ground.green), mix(blue, ground.blue), 1)
    }

    /// The relative luminance, from 0 for black to 1 for white.
    fileprivate var luminance: Double {
        func linear(_ value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}
