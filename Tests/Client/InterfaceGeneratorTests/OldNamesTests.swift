import Testing

@testable import InterfaceGenerator

@Suite("Old names", .timeLimit(.minutes(10))) struct OldNamesTests {
    @Test("each kind of name becomes an unavailable declaration, with its name here or its message")
    func declarations() throws {
        let table = """
            # Names.
            import LocationModel
            typealias CLVisit = Visit
            struct CLCircularRegion | Watch a condition
                enum Kind { case inner, outer }
                init(radius: Double)
            struct CLBeacon
                | Beacons are not offered
            func CLMake(_ latitude: Double) -> Coordinate? = Coordinate(latitude:)

            extension Manager
                static var none: Double? | Use nil
                var delegate: Int { get nonmutating set } | There is no delegate
                struct Inner | None
                    init()
            """
        #expect(
            try OldNames.swift(for: table) == """
                public import LocationModel
                /// `Visit` here.
                @available(*, unavailable, renamed: "Visit")
                public typealias CLVisit = Visit
                /// Watch a condition.
                @available(*, unavailable, message: "Watch a condition")
                public struct CLCircularRegion {
                    /// A part of the call that the message answers.
                    public enum Kind { case inner, outer }
                    /// A part of the call that the message answers.
                    public init(radius: Double) { fatalError() }
                }
                /// Beacons are not offered.
                @available(*, unavailable, message: "Beacons are not offered")
                public struct CLBeacon {
                }
                /// `Coordinate(latitude:)` here.
                @available(*, unavailable, renamed: "Coordinate(latitude:)")
                public func CLMake(_ latitude: Double) -> Coordinate? { fatalError() }
                extension Manager {
                    /// Use nil.
                    @available(*, unavailable, message: "Use nil")
                    public static var none: Double? { fatalError() }
                    /// There is no delegate.
                    @available(*, unavailable, message: "There is no delegate")
                    public var delegate: Int { get { fatalError() } nonmutating set {} }
                    /// None.
                    @available(*, unavailable, message: "None")
                    public struct Inner {
                        /// A part of the call that the message answers.
                        public init() { fatalError() }
                    }
                }

                """)
    }

    @Test(
        "a declaration without a name here and without a message is refused, unless its type has one",
        arguments: ["struct CLFloor", "struct CLFloor | None\nvar x: Int", "extension Manager\n    func f()"])
    func refused(_ table: String) {
        #expect(throws: GenerationError.self) { try OldNames.swift(for: table) }
    }
}
