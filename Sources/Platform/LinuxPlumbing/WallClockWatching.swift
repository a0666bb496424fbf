/// Waits for times of the local wall clock. ``WallClockMonitor`` is the real one.
///
/// Confined to its event loop.
package protocol WallClockWatching: AnyObject {
    /// Called at the awaited time, and at once when the clock is set or the time zone changes, never from within `watch`.
    /// Afterwards the caller reads the clock and sets the next time.
    var onChange: () -> Void { get set }

    /// Sets the time of the next call in place of the earlier one, as seconds since 1970 in UTC (`Timestamp`'s): at once for
    /// a time in the past. With a time that never comes only changes of the clock and the time zone are reported; `nil` ends
    /// the watch.
    func watch(until time: Duration?) throws
}
