import LocationInterface
public import LocationModel
import Varlink

/// The authorization of this program.
public struct LocationAuthorization: Hashable, Sendable {
    /// Whether it may know.
    public var status: AuthorizationStatus
    /// How exactly.
    public var accuracy: AccuracyAuthorization
    /// Why it would not receive a location at this moment, or not an exact one, where that is known: what is wrong and
    /// what would change it.
    public var cause: LocationCause?

    init(_ status: AuthorizationInterface.GetStatus.Reply) {
        self.status = status.status
        accuracy = status.accuracy
        cause = status.cause
    }
}

extension LocationManager {
    /// Asks the user for the location while this program is in use, if nobody has decided yet, and waits for the answer.
    ///
    /// The declaration needs `NSLocationWhenInUseUsageDescription`.
    ///
    /// - Returns: What this program may have now, whatever the answer was.
    /// - Throws: ``LocationError/missingUsageDescription(key:file:message:)``, ``LocationError/notAnswered(message:)``
    ///   when nobody could be asked or answered in time, ``LocationError/clientNotDeclared(message:)`` or
    ///   ``LocationError/serviceUnavailable(reason:)``.
    @discardableResult
    public func requestWhenInUseAuthorization() async throws(LocationError) -> LocationAuthorization {
        LocationAuthorization(try await connector.call(AuthorizationInterface.RequestWhenInUse.self, Nothing()))
    }

    /// Asks the user for the location at any time, and waits for the answer.
    ///
    /// Where nobody has decided yet, the user is asked as ``requestWhenInUseAuthorization()`` does, and allowing it gives
    /// always provisionally: the user is asked again when a location is first due in the background. A program that may
    /// know while in use can have the user asked for more once, ever. The declaration needs
    /// `NSLocationAlwaysAndWhenInUseUsageDescription` as well. Throws as ``requestWhenInUseAuthorization()`` does.
    @discardableResult
    public func requestAlwaysAuthorization() async throws(LocationError) -> LocationAuthorization {
        LocationAuthorization(try await connector.call(AuthorizationInterface.RequestAlways.self, Nothing()))
    }

    /// Asks the user whether this program, which may know only roughly, may know exactly until it is no longer in use.
    ///
    /// Throws as ``requestWhenInUseAuthorization()`` does.
    ///
    /// - Parameter purposeKey: Names the text that says why, in the declaration's
    ///   `NSLocationTemporaryUsageDescriptionDictionary`.
    @discardableResult
    public func requestTemporaryFullAccuracyAuthorization(
        purposeKey: String
    ) async throws(LocationError) -> LocationAuthorization {
        let parameters = AuthorizationInterface.RequestTemporaryFullAccuracy.Parameters(purposeKey: purposeKey)
        return LocationAuthorization(
            try await connector.call(AuthorizationInterface.RequestTemporaryFullAccuracy.self, parameters))
    }

    /// The authorization of this program, now and after every change. Does not prompt.
    ///
    /// It lasts until it is cancelled: when the service goes away, it connects again and goes on with what holds then.
    public func authorizationUpdates() -> AuthorizationUpdates { AuthorizationUpdates(connector: connector) }

    /// Keeps this program in use when it goes to the background, for as long as the sequence is iterated and the user
    /// is shown that it does: each element says whether that is so.
    ///
    /// The declaration needs `UIBackgroundModes` with `location`, and the program must be in use when it calls.
    ///
    /// - Throws: ``LocationError/refused(message:)`` when one of these is missing, else as
    ///   ``authorizationUpdates()`` does.
    public func backgroundActivity() async throws(LocationError) -> some AsyncSequence<Bool, any Error> & Sendable {
        try await connector.stream(AuthorizationInterface.BeginBackgroundActivity.self, Nothing()).map(\.isShown)
    }
}
