import DesktopEntries
import Foundation
import TestSupport
import Testing

@Suite("Installed applications", .timeLimit(.minutes(10))) struct ApplicationDirectoriesTests {
    private let directory: TemporaryDirectory
    private let applications: ApplicationDirectories

    init() throws {
        directory = try TemporaryDirectory()
        applications = ApplicationDirectories([directory.path + "/none", directory.path])
    }

    private func write(_ path: String, _ text: String) throws {
        let file = URL(filePath: directory.path + "/" + path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    private func icon(_ name: String) throws -> String? {
        try write(
            "applications/org.example.App.desktop", "[Desktop Entry]\nName=App\nName[de]=Anwendung\nIcon=\(name)\n")
        let entry = try #require(applications.entry("org.example.App", language: "de_DE.UTF-8"))
        #expect(entry.name == "Anwendung")
        return applications.icon(of: entry)
    }

    @Test("an icon is found by its name, a scalable one before pixel images")
    func icons() throws {
        #expect(try icon("app") == nil)
        try write("pixmaps/app.png", "")
        #expect(try icon("app") == directory.path + "/pixmaps/app.png")
        try write("icons/hicolor/48x48/apps/app.png", "")
        try write("icons/hicolor/scalable/apps/app.svg", "")
        #expect(try icon("app") == directory.path + "/icons/hicolor/scalable/apps/app.svg")
        #expect(try icon(directory.path + "/icons/hicolor/48x48/apps/app.png") != nil)
    }

    @Test("no name leads to a file elsewhere, or to one that is not an image")
    func elsewhere() throws {
        try write("secret.txt", "secret")
        for name in [
            "/etc/passwd", "../../../etc/passwd", directory.path + "/secret.txt", directory.path + "/../../etc/x.png",
            "", " ",
        ] { #expect(try icon(name) == nil, "\(name)") }
        #expect(applications.entry("../applications/org.example.App", language: "") == nil)
        #expect(applications.entry("org.example.None", language: "") == nil)
    }
}
