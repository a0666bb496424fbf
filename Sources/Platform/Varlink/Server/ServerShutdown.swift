/// The way in which a server that shuts down ends its calls.
enum ServerShutdown {
    /// Streams end and waiting calls are answered with this error. The first call of a new connection may still be made.
    case answering(VarlinkError)
    /// Connections end without further answers.
    case silent

    init(_ error: VarlinkError?) { self = error.map { .answering($0) } ?? .silent }

    /// The answer to calls that have none yet; `nil` for none.
    var error: VarlinkError? { if case .answering(let error) = self { error } else { nil } }
}
