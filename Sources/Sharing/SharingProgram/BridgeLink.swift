package import HTTPTransfer
package import LocationSharing
package import Logging
package import NIOCore

/// The way of the positions to a destination.
package protocol DestinationLink: Sendable {
    /// Sends a message and then calls `completion`, elsewhere; with `nil` if the destination has none for it.
    ///
    /// - Parameter terms: the properties of the message for a broker.
    func send(
        _ message: ShareMessage, _ terms: MessageTerms, _ cancellation: HTTPTransfer.Cancellation,
        completion: @escaping @Sendable (ShareMachine.Outcome?) -> Void)
    /// Ends all work for the destination.
    func close()
}

extension ShareLink: DestinationLink {
    /// Does nothing: each message has a connection of its own, which ends with it or is cancelled.
    package func close() {}
}

/// The way to a network: a port that is open until this is closed, or datagrams.
package final class BridgeLink: DestinationLink {
    private let service: SharingService
    private let eventLoop: any EventLoop
    private let output: NIOLoopBoundBox<(any BridgeOutput)?>

    /// Opens the port, as far as that is possible now.
    package init(_ endpoint: BridgeEndpoint, _ service: SharingService, on eventLoop: any EventLoop, logger: Logger) {
        (self.service, self.eventLoop) = (service, eventLoop)
        output = NIOLoopBoundBox.makeBoxSendingValue(nil, eventLoop: eventLoop)
        eventLoop.execute { [output] in
            output.value =
                endpoint.destination == nil
                ? BridgeServer(endpoint, on: eventLoop, logger: logger) : BridgeSender(endpoint)
        }
    }

    package func send(
        _ message: ShareMessage, _ terms: MessageTerms, _ cancellation: HTTPTransfer.Cancellation,
        completion: @escaping @Sendable (ShareMachine.Outcome?) -> Void
    ) {
        eventLoop.execute { [output, service] in
            guard let output = output.value, !cancellation.isCancelled else { return completion(.cancelled) }
            if let problem = output.problem { return completion(.failed(problem.description)) }
            guard case .positions(let records) = message, let record = records.last,
                let text = BridgeMessage.text(record, of: service)
            else { return completion(nil) }
            output.send(text)
            completion(output.problem.map { .failed($0.description) } ?? .answered(.stored))
        }
    }

    /// Closes the port and disconnects the readers.
    package func close() {
        eventLoop.execute { [output] in
            output.value?.close()
            output.value = nil
        }
    }
}
