import Glibc

/// The log of the library Dispatch, on whose threads Swift's tasks run.
package enum DispatchLog {
    /// Switches it off, before the first task sleeps.
    ///
    /// Dispatch has its timers on a thread to which it gives a nice value of -4. That takes a privilege, changes nothing here,
    /// and cannot be left out; without the privilege each run of the program would write a line to the journal.
    package static func switchOff() { setenv("LIBDISPATCH_LOG", "NO", 1) }
}
