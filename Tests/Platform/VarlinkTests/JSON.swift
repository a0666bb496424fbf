import FoundationEssentials
import Testing

@testable import Varlink

/// A message as a value, so that messages compare by meaning.
func json(_ text: String?) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(#require(text).utf8))
}
