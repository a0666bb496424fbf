import CLinux

/// The table of a thread's descriptors.
enum DescriptorTable {
    /// True if two threads have one table. False also where the kernel does not report it.
    static func isShared(by thread: Int32, and other: Int32) -> Bool {
        locationd_shares_descriptors(thread, other) == 1
    }
}
