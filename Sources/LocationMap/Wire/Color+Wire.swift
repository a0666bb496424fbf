import MapModel

extension Color {
    /// As the page reads it: CSS's `light-dark()` where both differ, for whichever the page is at the time.
    var wire: String {
        let (light, dark) = (css(), css(isDark: true))
        return light == dark ? light : "light-dark(\(light), \(dark))"
    }
}
