import LocationModel

/// Judges what a modem answers when it is asked for its sentences again and again.
///
/// A module that fell silent still answers its last fix in the same words. So the time of RMC decides: the same time is nothing
/// new, and the first answer after asking began may be old and only serves for comparison.
struct ModemAnswers {
    /// The reports in an answer.
    struct Result: Equatable {
        var reports: [ReceiverReport] = []
        /// True if the answer is of an epoch that was not in an earlier one.
        var isNew = false
    }

    /// The number of consecutive answers without anything new after which the modem counts as silent.
    static let silence = 5

    private let device: String
    /// The time of the last complete answer; `nil` before the first.
    private var last: Timestamp?
    private var hasAnswered = false
    /// The number of answers without anything new since the last one that was.
    private var repetitions = 0
    private(set) var hasSentences = false

    init(device: String) { self.device = device }

    /// True if the modem has had nothing new to say for some time.
    var isSilent: Bool { repetitions >= Self.silence }

    /// Processes an answer; `nil` if it holds no sentences.
    mutating func receive(_ answer: String?) -> Result {
        let isFirst = !hasAnswered
        hasAnswered = true
        let epoch = answer.flatMap(NMEAEpoch.init)
        hasSentences = epoch != nil
        guard let epoch, epoch.isComplete else { return repeated() }
        // Without a time there is no fix, and no telling whether it is new.
        guard let time = epoch.time else {
            repetitions = 0
            return Result(reports: [.position(epoch.position(of: device))])
        }
        guard time != last else { return repeated() }
        last = time
        let position = epoch.position(of: device)
        if isFirst, position.location != nil { return Result() }
        repetitions = 0
        return Result(reports: [.sky(epoch.sky(of: device)), .position(position)], isNew: true)
    }

    private mutating func repeated() -> Result {
        repetitions = min(repetitions + 1, Self.silence)
        return Result()
    }
}

/// When a modem is asked next: about once a second, soon after its epochs.
///
/// Each question comes a little earlier in the epoch than the one before, until one comes too early and is repeated a moment
/// later. So a fix waits for a fifth of a second at most, whatever the phase at the start.
struct ModemPace {
    static let interval = Duration.milliseconds(980)
    static let retry = Duration.milliseconds(200)
    /// After a refusal.
    static let pause = Duration.seconds(5)

    private var wasNew = true

    /// The delay after an answer.
    mutating func delay(afterNew isNew: Bool) -> Duration {
        defer { wasNew = isNew }
        return !isNew && wasNew ? Self.retry : Self.interval
    }
}
