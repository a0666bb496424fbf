import CommandSupport
import ArgumentParser

/// How things that are no locations are printed.
enum PlainFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// One JSON value on one line, as locationctl(1) describes it.
    case json
}

/// How a command prints its result.
struct OutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How to print it: text or json.", valueName: "format"))
    var format = PlainFormat.text

    /// Prints `result`, or the lines that say the same to a person.
    func say(_ result: some Encodable, text: () -> [String]) throws {
        switch format {
        case .json: Terminal.say(try LocationFormat.encode(result))
        case .text: Terminal.say(text())
        }
    }
}
