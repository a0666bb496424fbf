/// A call as a client sends it.
struct OutgoingCall<Parameters: Encodable>: Encodable {
    let method: String
    let parameters: Parameters
    /// `nil` is left out; false is never sent.
    var more: Bool?
    var oneway: Bool?
}
