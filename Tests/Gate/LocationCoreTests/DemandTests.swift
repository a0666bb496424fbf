import DaemonTestSupport
import LocationModel
import LocationPolicy
import LocationSources
import Testing

@testable import LocationCore

/// What the source knows of the need for locations.
@Suite("The need for locations", .timeLimit(.minutes(10))) struct DemandTests {
    @Test("the source gets the highest need of those who may have a location")
    func highest() async throws {
        let clients: [ClientDeclaration] = [
            .example(),
            .example("org.example.Reduced", executable: "/reduced", policy: .preset(.always, accuracy: .reduced)),
            .example("org.example.Denied", executable: "/denied", policy: .restricted),
        ]
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            func demand() async throws -> LocationDemand { try await daemon.onLoop { _ in daemon.source.demand } }
            #expect(try await demand() == .off)
            let denied = try await daemon.connect(as: .example("/denied"))
            try await denied.call("Location.Subscribe", more: true)
            #expect(try await demand() == .off)
            let reduced = try await daemon.subscribe(as: .example("/reduced"))
            #expect(try await demand() == .coarse)
            let seldom = try await daemon.subscribe(#"{"minimumInterval":60}"#)
            #expect(try await demand() == .periodic)
            let always = try await daemon.subscribe()
            #expect(try await demand() == .continuous)
            await always.close()
            #expect(try await demand() == .periodic)
            await seldom.close()
            #expect(try await demand() == .coarse)
            await reduced.close()
            #expect(try await demand() == .off)
            await denied.close()
        }
    }

    @Test("frames, headings and a request are a continuous need, significant changes a coarse one")
    func kinds() async throws {
        try await DaemonUnderTest.run(.inProcess) { daemon in
            for (method, parameters, isStream, expected) in [
                ("Location.Follow", "{}", true, LocationDemand.continuous),
                ("Location.Subscribe", #"{"heading":true,"minimumInterval":60}"#, true, .continuous),
                ("Location.Subscribe", #"{"significantChanges":true}"#, true, .coarse),
                ("Location.GetLocation", "{}", false, .continuous),
            ] {
                let peer = try await daemon.connect()
                try await peer.call(method, parameters, more: isStream)
                #expect(try await daemon.onLoop { _ in daemon.source.demand } == expected, "\(method) \(parameters)")
                await peer.close()
                #expect(try await daemon.onLoop { _ in daemon.source.demand } == .off)
            }
        }
    }

    @Test("headings are needed for clients that get them: with exact locations, and by subscription or in frames")
    func headings() async throws {
        let clients: [ClientDeclaration] = [
            .example(),
            .example("org.example.Reduced", executable: "/reduced", policy: .preset(.always, accuracy: .reduced)),
            .example("org.example.Denied", executable: "/denied", policy: .restricted),
        ]
        try await DaemonUnderTest.run(.inProcess, clients: clients) { daemon in
            func areNeeded() async throws -> Bool? {
                try await daemon.onLoop { $0.publisher.sources?.isHeadingNeeded }
            }
            for (peer, method, parameters, isExpected) in [
                (.example(), "Location.Follow", "{}", true),
                (.example(), "Location.Subscribe", #"{"heading":true}"#, true),
                (.example(), "Location.Subscribe", "{}", false),
                (.example("/reduced"), "Location.Follow", "{}", false),
                (.example("/denied"), "Location.Subscribe", #"{"heading":true}"#, false),
            ] as [(PeerIdentity, String, String, Bool)] {
                let peer = try await daemon.connect(as: peer)
                try await peer.call(method, parameters, more: true)
                #expect(try await areNeeded() == isExpected, "\(method) \(parameters)")
                await peer.close()
                #expect(try await areNeeded() == false)
            }
        }
    }
}
