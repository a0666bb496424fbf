import CMosquitto
import Glibc

/// A session, whose messages the broker keeps until this client has acknowledged them.
///
/// Between ``receive(within:isFull:)`` and ``acknowledge(until:)`` the caller stores what was delivered. A program that ends before the
/// second has the messages delivered again.
extension MQTTConnection {
    /// Subscribes with QoS 1, and waits until the broker has acknowledged it. Returns its reason codes. What the broker has kept for later
    /// subscribers arrives with the first subscription of the session only.
    package func subscribe(
        to filters: [String], until deadline: Deadline, isCancelled: () -> Bool
    ) throws(MQTTFailure) -> [Int] {
        reportSubscriptions()
        // Retained messages may arrive before the answer.
        return try roundTrip(until: deadline, isCancelled, acknowledges: false) { number in
            subscribe(to: filters, quality: 1, options: CInt(MQTT_SUB_OPT_SEND_RETAIN_NEW.rawValue), &number)
        }
    }

    /// Delivers what arrives within a time, in whole milliseconds, and then more until nothing has come for a moment: a caller that
    /// stores many messages at once is faster. Acknowledges nothing.
    ///
    /// What has arrived before the connection ended is delivered first, and a later call throws the failure: a broker that was killed may
    /// have the messages no more.
    ///
    /// - Parameter isFull: asked after each message: true to leave the others for the next call.
    package func receive(within time: Duration, isFull: () -> Bool) throws(MQTTFailure) {
        let delivered = reception.delivered
        do {
            try turn(time, writes: false)
            while !isFull(), isReadable(within: Self.lull) { try turn(.zero, writes: false) }
        } catch {
            if reception.delivered == delivered { throw error }
        }
    }

    /// Acknowledges all messages that were delivered, unless the connection has ended, of which the next call of
    /// ``receive(within:isFull:)`` delivers the rest.
    package func acknowledge(until deadline: Deadline) throws(MQTTFailure) {
        while mosquitto_want_write(handle) {
            guard let descriptor else { throw failure(MOSQ_ERR_NO_CONN.rawValue, 0) }
            guard deadline.isAhead else { throw .timeout(deadline.duration) }
            var event = pollfd(fd: descriptor, events: Int16(POLLOUT) | Self.peerClosed, revents: 0)
            _ = poll(&event, 1, 1000)
            // To write would close the socket, with what is unread there.
            if event.revents & (Int16(POLLHUP | POLLERR) | Self.peerClosed) != 0 { return }
            // Nothing is read here, because it would be acknowledged as well.
            let code = mosquitto_loop_write(handle, 1)
            guard code == MOSQ_ERR_SUCCESS.rawValue else { throw failure(code, errno) }
        }
    }

    /// The time without a message after which no more are waited for, in milliseconds.
    private static var lull: CInt { 5 }
    /// The event of a peer that writes no more: `POLLRDHUP`, which Glibc's module leaves out.
    private static var peerClosed: Int16 { 0x2000 }

    private func isReadable(within milliseconds: CInt) -> Bool {
        guard let descriptor else { return false }
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, milliseconds) == 1
    }
}
