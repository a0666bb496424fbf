import FoundationEssentials
import Glibc
import LocationPolicy
import TestSupport
import Testing

@testable import GeoClueFrontEnd

/// Which installed application a peer is; the desktop is asked about this one.
@Suite("Installed applications", .timeLimit(.minutes(10))) struct InstalledApplicationsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The application that a peer is taken for, with these desktop files installed.
    private func id(
        of executable: String?, claiming claim: String? = nil, isDeclared: Bool = false, _ files: [String: String],
        change: (inout PeerIdentity) -> Void = { _ in }
    ) throws -> String? {
        for (name, line) in files {
            try "[Desktop Entry]\nName=Map\n\(line)\n"
                .write(toFile: "\(directory.path)/\(name).desktop", atomically: false, encoding: .utf8)
        }
        let applications = InstalledApplications(directory: directory.path, flatpakDirectory: directory.path)
        var peer = PeerIdentity(userID: 4242, processID: 77)
        peer.executable = executable
        peer.claimedDesktopID = claim
        change(&peer)
        return applications.id(of: peer, isClaimDeclared: isDeclared)
    }

    @Test("a program is the application whose desktop file starts it, by path, by name or through a link")
    func ownProgram() throws {
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=/usr/bin/true %u"]) == "map")
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=true"]) == "map")
        // Debian's awk is a link to the program that is installed.
        let awk = try #require(realpath("/usr/bin/awk", nil).map { String(cString: $0) })
        #expect(try id(of: awk, claiming: "map", ["map": "TryExec=awk\nExec=sh -c awk"]) == "map")
        #expect(try id(of: awk, claiming: "map", ["map": "Exec=/usr/bin/awk"]) == "map")
        // Without its claim, or under another name, by the name of its program.
        let files = ["true": "Exec=true"]
        #expect(try id(of: "/usr/bin/true", files) == "true")
        #expect(try id(of: "/usr/bin/true", claiming: "absent", files) == "true")
    }

    @Test("a program is not the application whose desktop file starts another, whatever it claims")
    func otherProgram() throws {
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=/usr/bin/false"]) == nil)
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=gapplication launch map"]) == nil)
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=/usr/bin/absent"]) == nil)
        #expect(try id(of: "/usr/bin/true", claiming: "map", ["map": ""]) == nil)
        #expect(try id(of: nil, claiming: "map", ["map": "Exec=/usr/bin/true"]) == nil)
        let sandboxed = try id(of: "/usr/bin/true", claiming: "map", ["map": "Exec=true"]) {
            $0.unverifiedExecutable = UnverifiedExecutable(path: "/usr/bin/true", reason: .ownNamespace)
        }
        #expect(sandboxed == nil)
    }

    @Test("an interpreter is not an application under any of its names")
    func interpreters() throws {
        for shell in ["/usr/bin/dash", "/usr/bin/env"] {
            let name = String(shell.split(separator: "/").last ?? "")
            #expect(try id(of: shell, claiming: name, [name: "Exec=\(shell)"]) == nil)
        }
        for name in ["python3.11", "perl5.36.0", "gjs-console", "lua5.4", "ruby3.1"] {
            let path = "/opt/\(name)"
            #expect(try id(of: path, claiming: "map", ["map": "Exec=\(path)"]) == nil)
            #expect(try id(of: path + "x", claiming: "map", ["map": "Exec=\(path)x"]) == "map")
        }
    }

    @Test("a claim that a declaration names makes an application if it is installed, and other claims do not")
    func declaredClaim() throws {
        let files = ["map": "Exec=gapplication launch map", "other": "Exec=/usr/bin/false"]
        #expect(try id(of: "/usr/bin/true", claiming: "map", isDeclared: true, files) == "map")
        #expect(try id(of: "/usr/bin/true", claiming: "absent", isDeclared: true, files) == nil)
        #expect(try id(of: "/usr/bin/other", claiming: "map", isDeclared: false, files) == nil)
        #expect(try id(of: "/usr/bin/other", claiming: "absent", isDeclared: true, files) == nil)
    }

    @Test("a Flatpak is the application of its id, if it is installed for all users")
    func flatpak() throws {
        func id(_ application: String, claiming claim: String) throws -> String? {
            try self.id(of: nil, claiming: claim, ["org.example.Map": "", "org.example.Other": ""]) {
                $0.flatpakID = application
            }
        }
        #expect(try id("org.example.Map", claiming: "org.example.Other") == "org.example.Map")
        #expect(try id("org.example.Absent", claiming: "org.example.Map") == nil)
        #expect(try id("../org.example.Map", claiming: "org.example.Map") == nil)
    }
}
