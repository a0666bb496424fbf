/// A client's call.
struct OutgoingCall<Parameters: Encodable>: Encodable {
    let method: String
    let parameters: Parameters
    /// `nil` is omitted; false is never sent.
    var more: Bool?
    var oneway: Bool?
}
