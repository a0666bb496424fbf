import LocationPolicy
import Testing

@Suite("Interpreters", .timeLimit(.minutes(10)))
struct InterpreterTests {
    @Test(
        "an interpreter is known by its file name, with or without a version",
        arguments: [
            ("/usr/bin/python3.11", "Python programs"), ("/usr/bin/python3", "Python programs"),
            ("/opt/python", "Python programs"), ("/usr/bin/perl5.36.0", "Perl programs"),
            ("/usr/bin/dash", "shell scripts"), ("/usr/bin/gjs-console", "JavaScript programs"),
            ("/usr/lib/jvm/java-17-openjdk-amd64/bin/java", "Java programs"),
        ])
    func known(path: String, programs: String) {
        #expect(Interpreter(path: path)?.programs == programs)
    }

    @Test(
        "a program with a similar name is not one",
        arguments: [
            "/usr/bin/node-red", "/usr/bin/shotwell", "/usr/bin/lua-language-server", "/usr/bin/weather", "/", "",
        ])
    func similar(path: String) {
        #expect(Interpreter(path: path) == nil)
    }
}
