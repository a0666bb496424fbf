package import LocationModel

// What goes into the machine, and what comes out of it.

extension ShareMachine {
    /// A moment by both clocks: that of the wall decides when a share ends, the other one when the next message is due.
    package struct Moment: Hashable, Sendable {
        package var wall: Timestamp
        package var steady: ContinuousClock.Instant

        /// A moment; by default this one.
        package init(wall: Timestamp = .now(), steady: ContinuousClock.Instant = .now) {
            (self.wall, self.steady) = (wall, steady)
        }
    }

    /// The reason why there is no position to send.
    package enum Withholding: Hashable, Sendable {
        /// There is no fix. The service keeps the last position, and receives those that are queued.
        case unavailable(String)
        /// The location service cannot be reached, or the user is being asked: what is queued waits.
        case interrupted(String)
        /// There is no location, perhaps because of a rule about a place. The service keeps the last position; the queue is deleted.
        case concealed(String)
        /// The user or a policy does not allow it. The service is to forget the position.
        case revoked(String)
    }

    /// What the caller has to do.
    package enum Action: Hashable, Sendable {
        /// Save the state, before anything else.
        case save(ShareState)
        /// Write a position to the queue with this start, before it is sent.
        case queue(ShareRecord, Timestamp)
        /// Read the oldest positions of the queue, this many at most, and report them by `load`.
        case load(Int)
        /// Remove positions from the queue.
        case remove([Int64])
        case deleteQueue
        /// Send a message, and report its outcome by `answered`.
        case send(ShareMessage)
        /// Cancel the message that is being sent; its outcome is still reported.
        case cancel
        /// Call `wake` after this time.
        case wake(after: Duration)
    }

    /// The outcome of a message.
    package enum Outcome: Hashable, Sendable {
        /// The service has answered.
        case answered(ShareVerdict)
        /// There was no answer.
        case failed(String)
        /// The message was cancelled.
        case cancelled
    }
}

extension ShareMachine.Outcome {
    /// The sentence, and the seconds after which the service may be tried again, if it names a time; `nil` without a problem.
    package var problem: (String, Int?)? {
        switch self {
        case .answered(.stored), .cancelled: nil
        case .answered(.again(let problem, let seconds)): (problem, seconds)
        case .answered(.doubtful(let problem)), .answered(.unclear(let problem)), .answered(.refused(let problem)),
            .answered(.wrong(let problem)), .failed(let problem):
            (problem, nil)
        }
    }
}
