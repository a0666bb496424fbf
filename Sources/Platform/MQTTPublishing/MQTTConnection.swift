import CMosquitto
import Glibc

/// A connection to a broker by MQTT 5, on which messages are published, or others' are read: by libmosquitto, without a thread of its own.
///
/// It is used once: after a failure, or a cancelled message, another one takes its place, so that libmosquitto never sends a message
/// again by itself. Nothing waits in the library but the messages of one call of ``publish(_:until:isCancelled:)``.
///
/// No topic alias: after a reconnect libmosquitto would send a message without its topic. No will: it would report a vehicle as gone at
/// each short break; a position's time and expiry say how old it is.
///
/// Not `Sendable`: one thread uses it. Its methods block that thread, and the resolution of a name does so for as long as the resolver
/// takes.
package final class MQTTConnection {
    /// The address of a broker, and the credentials for it.
    package struct Settings: Sendable {
        /// The broker's name or address; the path of its socket, if ``port`` is 0.
        package var host: String
        /// The TCP port; 0 for a socket in the file system.
        package var port: Int
        /// True to encrypt.
        package var usesTLS: Bool
        /// The file with the certificates of the authorities to trust; `nil` for the system's.
        package var authorities: String?
        /// The files with the client's certificate and its key; `nil` without one.
        package var certificate: (file: String, key: String)?
        /// The name of the client, of which the broker has one connection at a time.
        package var clientID: String
        /// The time after which a silent broker is asked whether it is still there, in seconds. Default 120, twice a quiet share's
        /// interval between looks.
        package var keepAlive = 120
        /// What the broker keeps for this client while it is away; `nil` to have it keep nothing.
        package var session: Session?
        /// The user and the password; `nil` without them.
        package var user: (name: String, password: String)?

        /// Settings without certificate and user.
        package init(host: String, port: Int, usesTLS: Bool, clientID: String) {
            (self.host, self.port, self.usesTLS, self.clientID) = (host, port, usesTLS, clientID)
        }
    }

    /// A session that continues over several connections.
    package struct Session: Hashable, Sendable {
        /// The seconds for which the broker keeps it, and what arrives, without a connection.
        package var expiry: UInt32
        /// The greatest number of messages that are delivered before the first of them is acknowledged, up to 65,535.
        package var receiveMaximum: Int

        /// A session with these terms.
        package init(expiry: UInt32, receiveMaximum: Int) {
            (self.expiry, self.receiveMaximum) = (expiry, receiveMaximum)
        }
    }

    /// What libmosquitto's callbacks have reported.
    final class Reception {
        /// The reason code of the answer to the connection; `nil` before it.
        var accepted: Int?
        var limits = MQTTLimits()
        /// The reason codes of acknowledged messages, by their numbers.
        var acknowledged: [CInt: Int] = [:]
        /// The reason codes of answered requests, by their numbers.
        var answered: [CInt: [Int]] = [:]
        /// Receives the broker's deliveries.
        var deliver: ((MQTTDelivery) -> Void)?
        /// The longest content that is delivered, in bytes.
        var longest = 0
        /// The number of messages that were delivered.
        var delivered = 0
        var hasEnded = false
        /// The reason code with which the broker ended the connection; `nil` without one.
        var endReason: Int?
        /// The last words of OpenSSL.
        var errorWords: String?
    }

    /// The longest wait before it is looked whether the caller has cancelled.
    private static let slice = Duration.seconds(1)
    /// The time between two calls of ``keepUp()`` at most.
    package static let upkeepInterval = Duration.seconds(40)

    /// Never cleaned up: other connections may be open.
    private static let library: CInt = mosquitto_lib_init()

    let handle: OpaquePointer
    let reception: Reception
    private let usesTLS: Bool
    /// The limits of the broker.
    package var limits: MQTTLimits { reception.limits }

    /// Connects.
    ///
    /// - Parameters:
    ///   - deadline: the end of the time for it.
    ///   - isCancelled: asked once a second.
    ///   - longest: the longest content that is delivered, in bytes; a longer one is acknowledged and left out.
    ///   - deliver: called for each message of the session, during this and the later calls, on their thread; `nil` without a session.
    package init(
        _ settings: Settings, until deadline: Deadline, isCancelled: () -> Bool, longest: Int = 0,
        deliver: ((MQTTDelivery) -> Void)? = nil
    ) throws(MQTTFailure) {
        guard Self.library == MOSQ_ERR_SUCCESS.rawValue else { throw .other("libmosquitto cannot be used") }
        (reception, usesTLS) = (Reception(), settings.usesTLS)
        let context = Unmanaged.passUnretained(reception).toOpaque()
        guard let handle = mosquitto_new(settings.clientID, settings.session == nil, context) else {
            throw .other("libmosquitto cannot be used")
        }
        self.handle = handle
        setCallbacks()
        if let deliver { receiveMessages(longest: longest, deliver) }
        try configure(settings)
        let code = connect(settings)
        if code != MOSQ_ERR_SUCCESS.rawValue, code != MOSQ_ERR_CONN_PENDING.rawValue { throw failure(code, errno) }
        try wait(until: deadline, isCancelled) { $0.accepted != nil }
        if let reason = reception.accepted, reason != 0 { throw .refused(reason) }
    }

    deinit { mosquitto_destroy(handle) }

    /// The socket; `nil` after the end.
    package var descriptor: CInt? {
        let descriptor = mosquitto_socket(handle)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Publishes messages in their order, and waits until the broker has acknowledged all of them. Returns its reason codes.
    package func publish(
        _ messages: [MQTTMessage], until deadline: Deadline, isCancelled: () -> Bool
    ) throws(MQTTFailure) -> [Int] {
        guard limits.quality > 0 else { throw .acknowledgesNothing }
        guard limits.retains || !messages.contains(where: \.isRetained) else { throw .retainsNothing }
        reception.acknowledged = [:]
        var numbers: [CInt] = []
        for message in messages { numbers.append(try publish(message)) }
        let acknowledged = Set(numbers)
        try wait(until: deadline, isCancelled) { acknowledged.isSubset(of: $0.acknowledged.keys) }
        return numbers.compactMap { reception.acknowledged[$0] }
    }

    /// Performs due work on an idle connection.
    package func keepUp() throws(MQTTFailure) { try turn(.zero) }

    /// Waits for messages of the broker, for a time at most, and delivers them to the closure of the subscription.
    package func receive(within time: Duration) throws(MQTTFailure) { try turn(time) }

    /// Tells the broker of the end.
    package func close() {
        mosquitto_disconnect(handle)
        // The broker notices the end of the connection as well.
        _ = mosquitto_loop_write(handle, 1)
    }

    private func publish(_ message: MQTTMessage) throws(MQTTFailure) -> CInt {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry = message.expiry {
            mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        var number: CInt = 0
        let code = mosquitto_publish_v5(
            handle, &number, message.topic, CInt(message.payload.count), message.payload, 1, message.isRetained,
            properties)
        switch code {
        case MOSQ_ERR_SUCCESS.rawValue: return number
        case MOSQ_ERR_OVERSIZE_PACKET.rawValue: throw .tooLarge(limits.packetSize ?? 0)
        default: throw failure(code, errno)
        }
    }

    // MARK: Settings

    private func connect(_ settings: Settings) -> CInt {
        guard let session = settings.session else {
            return mosquitto_connect_bind_async(
                handle, settings.host, CInt(settings.port), CInt(settings.keepAlive), nil)
        }
        // What is read is acknowledged by `acknowledge(until:)` only: libmosquitto would do it before it delivers a message, but leaves
        // the writing to a program that has threads.
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, CInt(session.receiveMaximum))
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        mosquitto_property_add_int32(&properties, CInt(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), session.expiry)
        return mosquitto_connect_bind_v5(
            handle, settings.host, CInt(settings.port), CInt(settings.keepAlive), nil, properties)
    }

    private func configure(_ settings: Settings) throws(MQTTFailure) {
        var codes = [mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5)]
        if let user = settings.user { codes.append(mosquitto_username_pw_set(handle, user.name, user.password)) }
        if settings.usesTLS {
            for file in [settings.authorities, settings.certificate?.file, settings.certificate?.key].compactMap(\.self)
            where access(file, R_OK) != 0 {
                throw .unusableFile("\(file) cannot be read: \(String(cString: strerror(errno)))")
            }
            if settings.authorities == nil {
                codes.append(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
            }
            // Without a file of authorities libmosquitto takes a certificate of the client with a directory only.
            if settings.authorities != nil || settings.certificate != nil {
                codes.append(
                    mosquitto_tls_set(
                        handle, settings.authorities, settings.authorities == nil ? "/etc/ssl/certs" : nil,
                        settings.certificate?.file, settings.certificate?.key, nil))
            }
        }
        if let code = codes.first(where: { $0 != MOSQ_ERR_SUCCESS.rawValue }) {
            throw .other(String(cString: mosquitto_strerror(code)))
        }
    }

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, properties in
            guard let reception = Reception.of(context) else { return }
            reception.limits.read(properties)
            reception.accepted = Int(reason)
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, number, reason, _ in
            Reception.of(context)?.acknowledged[number] = Int(reason)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            guard let reception = Reception.of(context) else { return }
            reception.hasEnded = true
            // Those below are libmosquitto's own.
            if reason >= 0x80 { reception.endReason = Int(reason) }
        }
        mosquitto_log_callback_set(handle) { _, context, level, words in
            // Each packet is reported as well.
            guard level == CInt(MOSQ_LOG_ERR), let words else { return }
            let text = String(cString: words)
            if text.contains("OpenSSL Error") { Reception.of(context)?.errorWords = text }
        }
    }

    // MARK: Turns

    /// Waits until a condition is met.
    func wait(
        until deadline: Deadline, writes: Bool = true, _ isCancelled: () -> Bool, _ isMet: (Reception) -> Bool
    ) throws(MQTTFailure) {
        while !isMet(reception) {
            if isCancelled() { throw .cancelled }
            let left = ContinuousClock.now.duration(to: deadline.instant)
            guard left > .zero else { throw .timeout(deadline.duration) }
            try turn(min(left, Self.slice), writes: writes)
        }
    }

    /// Reads and writes as far as possible now, or within a time.
    ///
    /// - Parameter writes: false to write nothing.
    func turn(_ time: Duration, writes: Bool = true) throws(MQTTFailure) {
        guard let descriptor else { throw failure(MOSQ_ERR_NO_CONN.rawValue, 0) }
        let wantsWrite = writes && mosquitto_want_write(handle)
        var event = pollfd(fd: descriptor, events: Int16(POLLIN) | (wantsWrite ? Int16(POLLOUT) : 0), revents: 0)
        let milliseconds = CInt((time / .milliseconds(1)).rounded(.up))
        guard poll(&event, 1, milliseconds) >= 0 || errno == EINTR else {
            throw .other(String(cString: strerror(errno)))
        }
        let isOver = event.revents & Int16(POLLHUP | POLLERR) != 0
        // libmosquitto does not ask why a connection was not made.
        if isOver, reception.accepted == nil, let error = Self.error(of: descriptor) { throw unreachable(error) }
        let isReadable = isOver || event.revents & Int16(POLLIN) != 0
        let isWritable = event.revents & Int16(POLLOUT) != 0
        for (isDue, work) in [
            // First, because a connection that has just been made begins there.
            (isWritable, { mosquitto_loop_write(self.handle, 1) }),
            (isReadable, { mosquitto_loop_read(self.handle, 1) }),
            (true, { mosquitto_loop_misc(self.handle) }),
        ] where isDue {
            errno = 0
            let code = work()
            // The answer that ended the connection says more.
            if code != MOSQ_ERR_SUCCESS.rawValue, reception.accepted.map({ $0 == 0 }) ?? true {
                throw failure(code, errno)
            }
        }
        guard reception.accepted.map({ $0 == 0 }) ?? true else { return }
        if reception.hasEnded { throw failure(MOSQ_ERR_CONN_LOST.rawValue, 0) }
        // libmosquitto takes an error of the handshake's first bytes for a connection that is still being made, and poll would not wait.
        var byte: UInt8 = 0
        if isOver, recv(descriptor, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) <= 0 {
            throw reception.accepted == nil
                ? .unreachable("nobody answers there, or not as a broker does")
                : failure(MOSQ_ERR_CONN_LOST.rawValue, 0)
        }
    }

    /// The error of a socket, which this clears; `nil` without one.
    private static func error(of descriptor: CInt) -> CInt? {
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0, error != 0 else { return nil }
        return error
    }

    func failure(_ code: CInt, _ error: CInt) -> MQTTFailure {
        // Later, OpenSSL says of a connection that has ended that it misses the end.
        if reception.accepted == nil, let words = reception.errorWords {
            return words.contains("certificate verify failed") ? .untrusted : .noTLS(Self.plain(words))
        }
        if let reason = reception.endReason { return .closed(reason) }
        if code == MOSQ_ERR_EAI.rawValue { return .unresolvable }
        if code == MOSQ_ERR_TLS.rawValue { return .noTLS("the handshake failed") }
        guard reception.accepted == nil else { return .closed(nil) }
        if code == MOSQ_ERR_ERRNO.rawValue, error != 0 { return unreachable(error) }
        return .unreachable(String(cString: mosquitto_strerror(code)))
    }

    /// The failure of a connection that was not accepted yet, with a system's error.
    private func unreachable(_ error: CInt) -> MQTTFailure {
        let words = String(cString: strerror(error))
        // With TLS 1.3 a broker refuses a certificate, or the lack of one, after the handshake, and ends the connection.
        return usesTLS && (error == ECONNRESET || error == EPROTO) ? .noTLS(words) : .unreachable(words)
    }

    /// The last part of `OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading`.
    private static func plain(_ words: String) -> String {
        words.split(separator: ":").last.map(String.init) ?? words
    }

    /// A moment at which a time is over.
    package struct Deadline: Sendable {
        fileprivate let instant: ContinuousClock.Instant
        let duration: Duration
        var isAhead: Bool { ContinuousClock.now < instant }

        /// The end of a time from now on.
        package init(in duration: Duration) {
            (instant, self.duration) = (.now.advanced(by: duration), duration)
        }
    }
}

extension MQTTConnection.Reception {
    static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection.Reception? {
        context.map { Unmanaged<MQTTConnection.Reception>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension MQTTLimits {
    /// Takes the properties of a broker's answer.
    fileprivate mutating func read(_ properties: OpaquePointer?) {
        var (long, short, byte): (UInt32, UInt16, UInt8) = (0, 0, 0)
        func has(_ property: OpaquePointer?) -> Bool { property != nil }
        if has(
            mosquitto_property_read_int32(
                properties, CInt(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &long, false))
        {
            packetSize = long
        }
        if has(
            mosquitto_property_read_int16(properties, CInt(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &short, false))
        {
            receiveMaximum = short
        }
        if has(mosquitto_property_read_byte(properties, CInt(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &byte, false)) {
            retains = byte != 0
        }
        if has(mosquitto_property_read_byte(properties, CInt(MQTT_PROP_MAXIMUM_QOS.rawValue), &byte, false)) {
            quality = byte
        }
    }
}
