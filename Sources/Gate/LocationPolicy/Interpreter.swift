/// A program that runs others, such as the scripts of a language. Its path does not identify the script that a process runs.
public struct Interpreter: Hashable, Sendable {
    /// The programs that it runs, in the plural: `Python programs`.
    public let programs: String

    /// The interpreter at a path, by its file name without a version; `nil` for any other program.
    public init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        let unversioned = name.reversed().drop { $0.isNumber || $0 == "." || $0 == "-" }.reversed()
        guard let programs = Self.known[String(name)] ?? Self.known[String(unversioned)] else { return nil }
        self.programs = programs
    }

    /// The way to declare one script, as sentences for people.
    public static let remedy =
        "Run the script in a unit of its own, as in: systemd-run --user --unit=NAME SCRIPT. To declare that unit, run: "
        + "sudo locationctl clients add --user-unit NAME --when-in-use TEXT"

    private static let known: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            ("Java programs", ["java"]),
            (
                "JavaScript programs",
                ["bun", "cjs", "cjs-console", "deno", "electron", "gjs", "gjs-console", "node", "nodejs"]
            ),
            ("Julia programs", ["julia"]),
            ("Lua programs", ["lua", "luajit"]),
            (".NET programs", ["dotnet", "mono", "mono-sgen"]),
            ("Perl programs", ["perl"]),
            ("PHP programs", ["php"]),
            ("PowerShell scripts", ["pwsh"]),
            ("Python programs", ["pypy", "python"]),
            ("QML programs", ["qml", "qmlscene"]),
            ("Ruby programs", ["ruby"]),
            ("Scheme programs", ["guile"]),
            (
                "shell scripts",
                ["ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "sh", "tcsh", "toybox", "zsh"]
            ),
            ("Tcl programs", ["expect", "tclsh", "wish"]),
            ("Windows programs", ["wine", "wine-preloader", "wine64-preloader"]),
            ("kinds of programs", ["bwrap", "env", "flatpak", "snap"]),
        ].flatMap { programs, names in names.map { ($0, programs) } })
}
