import Testing
import VarlinkIDL

@Suite(.timeLimit(.minutes(10))) struct InterfaceDescriptionTests {
    @Test("every construct is parsed")
    func everyConstruct() throws {
        let interface = try InterfaceDescription(
            """
            # About
            # it.
            interface org.example-site.x1

            # Not about Mode.

            type Mode (
              # Not on.
              off, on_now
            )
            type All (
              # a flag
              b: bool, i: int, f: float, s: string, o: object, a: any,
              l: []?string, m: [string][]Mode, q: ?(x: float, y: (n, m))   # trailing
            )
            # Does.
            method Do(all: All)->(mode: ?Mode)
            method Nothing() -> ()
            error Bad (why: string)
            error Empty ()
            """)
        #expect(interface.name == "org.example-site.x1")
        #expect(interface.documentation == "About\nit.")
        #expect(interface.types.first?.type == .enumeration([.init("off", documentation: "Not on."), .init("on_now")]))
        #expect(interface.types.first?.documentation == "")
        #expect(
            interface.types.last?.type
                == .structure([
                    .init(name: "b", type: .bool, documentation: "a flag"), .init(name: "i", type: .int),
                    .init(name: "f", type: .float), .init(name: "s", type: .string), .init(name: "o", type: .object),
                    .init(name: "a", type: .any), .init(name: "l", type: .array(.optional(.string))),
                    .init(name: "m", type: .map(.array(.named("Mode")))),
                    .init(
                        name: "q",
                        type: .optional(
                            .structure([
                                .init(name: "x", type: .float),
                                .init(name: "y", type: .enumeration([.init("n"), .init("m")])),
                            ]))),
                ]))
        #expect(interface.method("Do")?.documentation == "Does.")
        #expect(interface.method("Do")?.output == [.init(name: "mode", type: .optional(.named("Mode")))])
        #expect(interface.methods.map(\.name) == ["Do", "Nothing"])
        #expect(interface.errors.map(\.name) == ["Bad", "Empty"])
        #expect(interface.member("Bad")?.name == "Bad")
    }

    @Test(
        "a syntax error has its position and expectation",
        arguments: [
            ("", "1:1: expected \"interface\", found the end of the text"),
            ("interface org", "1:11: expected an interface name such as org.example.ping, found \"org\""),
            ("interface org.-a", "1:11: expected an interface name such as org.example.ping, found \"org.-a\""),
            (
                "interface a.b\nmethod do() -> ()",
                "2:8: expected a name that begins with a capital letter, found \"do\""
            ),
            ("interface a.b\nmethod Do() ()", "2:13: expected \"->\", found \"(\""),
            ("interface a.b\nmethod Do(a) -> ()", "2:10: expected fields with types, not an enumeration"),
            ("interface a.b\ntype T (a: ??int)", "2:13: an optional of an optional"),
            ("interface a.b\ntype T (a: int, b)", "2:18: expected \":\" after the field's name, found \")\""),
            ("interface a.b\ntype T (a, a)", "2:12: \"a\" is declared a second time"),
            ("interface a.b\ntype T ()\nerror T ()", "3:7: \"T\" is declared a second time"),
            ("interface a.b\n\ntype T (a: []Other)", "3:14: the type \"Other\" is not declared"),
            ("interface a.b\ntype T (a: integer)", "2:12: expected a type, found \"integer\""),
            ("interface a.b\ntype T (a__b: int)", "2:9: expected a field name, found \"a__b\""),
            ("interface a.b\ntype T (a: int", "2:15: expected \",\" or \")\", found the end of the text"),
            ("interface a.b\ntype T (a: int,)", "2:16: expected a field name, found \")\""),
            ("interface a.b\ntype T (a: {})", "2:12: unexpected \"{\""),
            ("interface a.b\nstruct T ()", "2:1: expected \"type\", \"method\" or \"error\", found \"struct\""),
            ("interface a.b\ntype T é", "2:8: unexpected byte 195"),
        ])
    func says(text: String, expected: String) {
        let error = #expect(throws: InterfaceDescriptionError.self) { try InterfaceDescription(text) }
        #expect(error?.description == expected)
    }

    @Test("deep nesting is refused without a crash", arguments: ["(a: ", "[]", "[string]", "?[]"])
    func survivesDeepNesting(opening: String) {
        let text = "interface a.b\ntype T (a: " + String(repeating: opening, count: 100_000)
        let error = #expect(throws: InterfaceDescriptionError.self) { try InterfaceDescription(text) }
        #expect(error?.reason == "types are nested too deeply")
    }
}
