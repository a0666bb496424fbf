import DesktopEntries
import Testing

@Suite("Desktop files", .timeLimit(.minutes(10))) struct DesktopEntryTests {
    private static let maps = """
        # Maps
        [Desktop Entry]
        Name=Maps
        Name[de]=Karten
        Name[de_AT]=Landkarten
        Name[sr@latin]=Mape
        Exec=gapplication launch org.gnome.Maps %U
        X-Geoclue-Reason=Allows your location to be shown on the map.
        X-Geoclue-Reason[de]=Erlaubt es, Ihren Standort auf der Karte\\sanzuzeigen.

        [Desktop Action other]
        Name=Other
        """

    @Test(arguments: [
        ("", "Maps"), ("C.UTF-8", "Maps"), ("de_DE.UTF-8", "Karten"), ("de_AT.UTF-8", "Landkarten"),
        ("sr_RS@latin", "Mape"), ("sr_RS", "Maps"), ("de", "Karten"),
    ])
    func name(_ language: String, _ name: String) {
        #expect(DesktopEntry(Self.maps, language: language)?.name == name)
    }

    @Test func reason() {
        let entry = DesktopEntry(Self.maps, language: "de_DE.UTF-8")
        #expect(entry?.reason == "Erlaubt es, Ihren Standort auf der Karte anzuzeigen.")
        #expect(DesktopEntry("[Desktop Entry]\nName=A\n", language: "")?.reason == nil)
    }

    @Test("characters that hide or reverse text are left out, and long text is cut")
    func hostile() {
        let text = "[Desktop Entry]\nName=\u{202E}A\u{0007}\u{200B}B" + String(repeating: "é", count: 500) + "\n"
        let name = DesktopEntry(text, language: "")?.name
        #expect(name?.hasPrefix("ABé") == true)
        #expect((name?.utf8.count ?? 0) <= 128)
    }

    @Test(arguments: ["", "Name=A", "[Other]\nName=A", "[Desktop Entry]\nName= \n", "[Desktop Entry]\nName[de]=A\n"])
    func nothing(_ text: String) {
        #expect(DesktopEntry(text, language: "") == nil)
    }

    @Test("an id is the name of one file, and cannot leave its directory")
    func ids() {
        for id in ["org.gnome.Maps", "firefox-esr", "a_b"] { #expect(DesktopEntry.isID(id)) }
        for id in ["", "../a", "/etc/passwd", ".hidden", "a b", "ä", "a\0", String(repeating: "a", count: 250)] {
            #expect(!DesktopEntry.isID(id))
        }
    }

    @Test(
        "an application is its TryExec, and its Exec unless that runs another program or script",
        arguments: [
            ("Exec=redshift-gtk", ["redshift-gtk"]),
            ("Exec=/usr/lib/firefox-esr/firefox-esr %u", ["/usr/lib/firefox-esr/firefox-esr"]),
            ("Exec=epiphany --new-window %U", ["epiphany"]),
            ("TryExec=map\nExec=sh -c map", ["map"]),
            (#"Exec="/opt/a map/map" "--name=a \\"b\\"" %f"#, ["/opt/a map/map"]),
            ("Exec=python3 /usr/share/map/map.py", []),
            ("Exec=gjs -m /usr/share/map/map.js", []),
            ("Exec=env LANG=C map", []),
            ("Exec=flatpak run org.example.Map", []),
            ("Exec=gapplication launch org.gnome.Maps %U", []),
            (#"Exec=map "unfinished"#, []),
            ("Exec=", []), ("TryExec=", []), ("", []),
        ])
    func programs(_ lines: String, _ programs: [String]) throws {
        let entry = try #require(DesktopEntry("[Desktop Entry]\nName=Map\n\(lines)\n", language: ""))
        #expect(entry.programs == programs)
    }
}
