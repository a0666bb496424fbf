import ArgumentParser
import CommandLineSupport
import Glibc

/// The units, notation and clock of text output.
struct DisplayStyle: Hashable {
    var units = UnitSystem.metric
    var coordinates = CoordinateNotation.decimal
    var clock = Clock.local
}

/// The options of commands that show quantities: `--units` and `--coordinates`.
struct DisplayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The units of text: metric, imperial or nautical. (default: your setting, or by the locale)",
            valueName: "units"))
    var units: UnitSystem?

    @Option(
        help: ArgumentHelp(
            "The notation of coordinates in text: decimal, ddm (50 58.7000') or dms (50 58' 42.00\"). (default: your "
                + "setting, or decimal)", valueName: "notation"))
    var coordinates: CoordinateNotation?

    /// The style by the options, the settings and the locale, in this order.
    var style: DisplayStyle {
        let settings = UserSettings.read()
        return DisplayStyle(
            units: units ?? settings.units ?? .of { getenv($0).map { String(cString: $0) } },
            coordinates: coordinates ?? settings.coordinates ?? .decimal)
    }

    /// The style with the clock by its option.
    func style(_ time: ClockOptions) -> DisplayStyle {
        var style = style
        style.clock = time.clock
        return style
    }
}
