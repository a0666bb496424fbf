import DesktopEntries
import GeoClueFrontEnd
import LocationPolicy

/// Calls of programs on the bus, a line each, `PATH|INTERFACE|MEMBER|ARGUMENT…`, an argument with its type before it, as in
/// `s:text`; what is asked for goes to a client object, and between the lines comes what the core would say. The whole input is
/// read as a desktop file, too.
enum GeoClueFuzz {
    static func run(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        try checkDesktopFile(text)
        var model = Model()
        for line in text.split(separator: "\n") {
            try checkIdentifier(line)
            let fields = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
            guard fields.count >= 3 else {
                for byte in line.utf8 { try model.handle(event(byte)) }
                continue
            }
            do {
                let interface = fields[1].isEmpty ? nil : fields[1]
                let arguments = fields.dropFirst(3).map(value)
                try model.apply(
                    Request(
                        path: fields[0], interface: interface, member: fields[2],
                        arguments: arguments.contains(nil) ? nil : arguments.compactMap { $0 }))
            } catch let error as BusError {
                try Finding.unless(error.name.hasPrefix("org.freedesktop.DBus.Error."), "an error without a name")
            }
        }
    }

    private static func value(_ text: String) -> BusValue? {
        let rest = String(text.dropFirst(2))
        switch text.prefix(2) {
        case "s:": return .text(rest)
        case "o:": return .path(rest)
        case "u:": return UInt32(rest).map { .number($0) }
        case "b:": return .boolean(rest == "1")
        default: return nil
        }
    }

    private static func event(_ byte: UInt8) -> ClientObject.Event {
        let denied = BusError.accessDenied("no")
        return [
            .start, .stop, .permitted, .located, .suspended, .refused(denied), .undecided, .ended(denied),
            .held(isPermitted: true), .held(isPermitted: false),
        ][Int(byte) % 10]
    }

    private static func checkDesktopFile(_ text: String) throws {
        guard let entry = DesktopEntry(text, language: "de_AT.UTF-8@euro") else { return }
        for line in [entry.name, entry.reason].compactMap({ $0 }) {
            try Finding.unless(!line.contains(where: \.isNewline) && line.utf8.count <= 512, "no line: \(line)")
        }
    }

    private static func checkIdentifier(_ line: Substring) throws {
        guard let program = UndeclaredProgram(identifier: String(line)) else { return }
        try Finding.unless(program.identifier == line, "\(line) and \(program.identifier) are one program")
    }

    /// One client object, with what its caller does.
    private struct Model {
        var object = ClientObject(number: 1)
        var held = 0
        var isOpen = false

        mutating func apply(_ request: Request) throws {
            switch request {
            case .start(1): try handle(.start)
            case .stop(1): try handle(.stop)
            case .set(1, let property):
                _ = object.set(property)
                let told = property.change
                try Finding.unless(
                    object.properties.contains { $0.name == told.name && $0.value == told.value }, "it was not set")
            case .properties(.location(1, let number)), .property(.location(1, let number), _):
                let isNewest = !object.isRead && number + 1 == object.announced
                try Finding.unless(object.read(number) == isNewest, "another location was read")
            case .properties(let path), .property(let path, _), .introspect(let path?):
                try Finding.unless(ObjectPath(path.text) == path, "\(path) is read as another path")
            default: break
            }
        }

        mutating func handle(_ event: ClientObject.Event) throws {
            if case .held = event, held == 0 { return }
            if case .located = event, !object.isRead { return }
            for action in object.handle(event) {
                switch action {
                case .holdStart: held += 1
                case .answerStart: held = 0
                case .open:
                    try Finding.unless(!isOpen, "it is open already")
                    isOpen = true
                case .close: isOpen = false
                case .announce: try Finding.unless(object.isActive, "it was not said to be active")
                case .announceActive(let isActive):
                    try Finding.unless(isActive == object.isActive, "it is told otherwise")
                }
            }
            if case .ended = event { isOpen = false }
            try Finding.unless(object.isActive ? isOpen && held == 0 : true, "it is active and not open")
            try Finding.unless(object.isStopped ? !isOpen && held == 0 : true, "it is stopped and not closed")
        }
    }
}
