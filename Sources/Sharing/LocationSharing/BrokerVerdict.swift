/// The rules for the reason codes of a broker, of MQTT 5.
package enum BrokerVerdict {
    /// What follows from the reason code that refuses a connection.
    ///
    /// - Parameter origin: the address of the broker.
    package static func connection(_ reason: Int, origin: String) -> ShareVerdict {
        switch reason {
        case 0x01, 0x84: .doubtful("\(origin) does not speak MQTT 5. A newer broker does, such as Mosquitto 2.")
        case 0x85: .doubtful("\(origin) does not accept the name of this client. Give another one with --device.")
        // Mosquitto says 0x87 for a wrong password.
        case 0x86, 0x87, 0x8c:
            .doubtful(
                "\(origin) does not accept the user and password, or the certificate. \(SharingService.mqtt.whereToFindTheURL)"
            )
        case 0x8a: .doubtful("\(origin) has banned this client. Its owner can say why.")
        case 0x9c, 0x9d: .doubtful("\(origin) has moved. Add the destination with its new address.")
        default: .again("\(origin) accepts no connection now (reason \(reason)).")
        }
    }

    /// What follows from the reason code of a message's acknowledgement.
    ///
    /// - Parameters:
    ///   - topic: the topic of the message.
    ///   - origin: the address of the broker.
    package static func message(_ reason: Int, topic: String, origin: String) -> ShareVerdict {
        switch reason {
        // 0x10: nobody has subscribed to it.
        case 0..<0x80: .stored
        case 0x87:
            .doubtful(
                "\(origin) does not let this user publish to \(topic). Its owner has to allow it; in Mosquitto's list of rights: "
                    + "topic write \(right(to: topic))")
        case 0x90: .doubtful("\(origin) does not accept the topic \(topic). Give others with --user-name and --device.")
        case 0x97: .again("\(origin) has reached a limit for this user. Its owner can raise it.")
        case 0x95: .refused("The position is longer than \(origin) accepts.")
        case 0x99: .refused("\(origin) refuses the position (reason \(reason)).")
        case 0x80, 0x83: .unclear("\(origin) fails (reason \(reason)).")
        default: .again("\(origin) did not take the position (reason \(reason)).")
        }
    }

    /// What follows from the reason code that refuses a subscription to the positions of a fleet.
    package static func subscription(_ reason: Int, origin: String) -> ShareVerdict {
        switch reason {
        case 0x87:
            .doubtful(
                "\(origin) does not let this user read positions. Its owner has to allow it; in Mosquitto's list of rights: topic read "
                    + "owntracks/#")
        case 0x97: .again("\(origin) has reached a limit for this user. Its owner can raise it.")
        default: .again("\(origin) accepts no subscription to positions (reason \(reason)).")
        }
    }

    /// The topics that a right to publish to one of them has to include: all of a tracker for Home Assistant.
    private static func right(to topic: String) -> String {
        guard !topic.hasPrefix("owntracks/"), let last = topic.lastIndex(of: "/") else { return topic }
        return topic[...last] + "+"
    }

    /// What follows from several messages: the first reason why one of them was not taken.
    ///
    /// - Parameter acknowledgements: the topic of each message, and the reason code of its acknowledgement.
    package static func messages(_ acknowledgements: [(topic: String, reason: Int)], origin: String) -> ShareVerdict {
        let verdicts = acknowledgements.map { message($0.reason, topic: $0.topic, origin: origin) }
        return verdicts.first { $0 != .stored } ?? .stored
    }

    /// What follows from the end of a connection by the broker.
    ///
    /// - Parameter reason: its reason code; `nil` without one.
    package static func end(_ reason: Int?, origin: String) -> ShareVerdict {
        switch reason {
        case 0x8e:
            .again(
                "Another program has connected to \(origin) under the same name. To give this machine one of its own, remove the "
                    + "destination and add it with --device.")
        case 0x95: .refused("The position is longer than \(origin) accepts.")
        case 0x97: .again("\(origin) has reached a limit for this user. Its owner can raise it.")
        case let reason?: .again("\(origin) has closed the connection (reason \(reason)).")
        case nil: .again("\(origin) has closed the connection.")
        }
    }
}
