import MapModel

extension Color {
    /// The colour for the page: CSS's `light-dark()` if the variants differ, so that the page selects one.
    var wire: String {
        let (light, dark) = (css(), css(isDark: true))
        return light == dark ? light : "light-dark(\(light), \(dark))"
    }
}
