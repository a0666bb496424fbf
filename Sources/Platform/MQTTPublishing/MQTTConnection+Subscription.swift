import CMosquitto
import Glibc

/// A message that the broker has delivered.
package struct MQTTDelivery: Hashable, Sendable {
    package var topic: String
    /// The content; empty for one that clears the retained message of the topic.
    package var payload: [UInt8]
    /// True if the broker kept it, and delivers it because of the subscription.
    package var isRetained: Bool
    /// The seconds after which the broker drops it; `nil` if it keeps it.
    package var expiry: UInt32?
}

extension MQTTConnection {
    /// Subscribes with QoS 0, and waits until the broker has acknowledged it. Returns its reason codes.
    ///
    /// With QoS 1 a broker queues the retained messages, and Mosquitto drops all but 1,020 of them by default.
    ///
    /// - Parameters:
    ///   - longest: the longest content that is delivered, in bytes; a longer one is left out.
    ///   - deliver: called for each message during this and the later calls, on their thread.
    package func subscribe(
        to filters: [String], longest: Int, until deadline: Deadline, isCancelled: () -> Bool,
        deliver: @escaping (MQTTDelivery) -> Void
    ) throws(MQTTFailure) -> [Int] {
        receiveMessages(longest: longest, deliver)
        reportSubscriptions()
        return try roundTrip(until: deadline, isCancelled) { number in
            subscribe(to: filters, quality: 0, options: 0, &number)
        }
    }

    /// Sends a subscription. Returns libmosquitto's code.
    ///
    /// In one request: Mosquitto 2.0.11 holds back what it keeps for a second one until the next message, while it still sends that for the
    /// first.
    func subscribe(to filters: [String], quality: CInt, options: CInt, _ number: inout CInt) -> CInt {
        let names = filters.map { strdup($0) }
        defer { for name in names { free(name) } }
        return mosquitto_subscribe_multiple(handle, &number, CInt(names.count), names, quality, options, nil)
    }

    /// Has the answers to subscriptions reported.
    func reportSubscriptions() {
        mosquitto_subscribe_v5_callback_set(handle) { _, context, number, count, reasons, _ in
            let codes = UnsafeBufferPointer(start: reasons, count: Int(count)).map { Int($0) }
            Reception.of(context)?.answered[number] = codes
        }
    }

    /// Has messages delivered from now on.
    func receiveMessages(longest: Int, _ deliver: @escaping (MQTTDelivery) -> Void) {
        (reception.deliver, reception.longest) = (deliver, longest)
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let reception = Reception.of(context), let message = message?.pointee, let topic = message.topic,
                message.payloadlen <= reception.longest
            else { return }
            var expiry: UInt32 = 0
            let expires =
                mosquitto_property_read_int32(
                    properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &expiry, false) != nil
            let content = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            reception.delivered += 1
            reception.deliver?(
                MQTTDelivery(
                    topic: String(cString: topic), payload: Array(content), isRetained: message.retain,
                    expiry: expires ? expiry : nil))
        }
    }

    /// Waits until the broker has answered a question that follows all that it has been asked so far: it gives up a subscription to a
    /// topic, which there need not be. A broker that works one request after another has then sent what they have it send.
    package func finishRequests(
        before topic: String, until deadline: Deadline, isCancelled: () -> Bool
    ) throws(MQTTFailure) {
        mosquitto_unsubscribe_v5_callback_set(handle) { _, context, number, _ in
            Reception.of(context)?.answered[number] = []
        }
        _ = try roundTrip(until: deadline, isCancelled) { number in
            mosquitto_unsubscribe_v5(self.handle, &number, topic, nil)
        }
    }

    /// Sends a request, and waits for its answer.
    ///
    /// - Parameter acknowledges: false to acknowledge none of the messages that arrive meanwhile.
    func roundTrip(
        until deadline: Deadline, _ isCancelled: () -> Bool, acknowledges: Bool = true, _ request: (inout CInt) -> CInt
    ) throws(MQTTFailure) -> [Int] {
        var number: CInt = 0
        let code = request(&number)
        guard code == MOSQ_ERR_SUCCESS.rawValue else { throw failure(code, errno) }
        let sent = number
        if !acknowledges { try acknowledge(until: deadline) }
        try wait(until: deadline, writes: acknowledges, isCancelled) { $0.answered[sent] != nil }
        return reception.answered.removeValue(forKey: sent) ?? []
    }
}
