/// Several values, each with its own lock. Each thread uses one of them, so threads seldom wait for each other.
// Other modules use `all[ThreadPart.mine]`, because a generic member of this type would not be inlined there and would
// look up metadata at each use.
package struct ThreadParts<Value>: Sendable {
    /// All parts, for operations on all of them.
    package let all: [Locked<Value>]

    /// Makes each part with `make`.
    package init(_ make: () -> sending Value) {
        // A simulation must not depend on the numbers of its threads.
        if Surroundings.scheduler != nil {
            all = Array(repeating: Locked(make()), count: ThreadPart.count)
        } else {
            all = (0..<ThreadPart.count).map { _ in Locked(make()) }
        }
    }

    /// The part of the thread with a number.
    func part(of thread: UInt) -> Locked<Value> { all[ThreadPart.place(of: thread)] }
}

/// The place of a thread's part in ``ThreadParts``.
package enum ThreadPart {
    static var count: Int { 32 }

    /// The place of the calling thread's part.
    package static var mine: Int { place(of: BlockThread.current) }

    static func place(of thread: UInt) -> Int {
        // Multiplied, because the numbers of threads are addresses, whose low bits are alike.
        Int(truncatingIfNeeded: (thread &* 0x9E37_79B9_7F4A_7C15) >> 59)
    }
}
