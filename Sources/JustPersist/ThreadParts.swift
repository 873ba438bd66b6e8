/// Values with a lock each, of which each thread uses one: threads seldom wait for each other.
// Other modules take `all[ThreadPart.mine]`: a generic member of this type is not inlined there, and looks up metadata at
// each use.
package struct ThreadParts<Value>: Sendable {
    /// All of them, for work on the whole.
    package let all: [Locked<Value>]

    /// Parts that begin as `make` says.
    package init(_ make: () -> sending Value) {
        all = (0..<ThreadPart.count).map { _ in Locked(make()) }
    }

    /// That of the thread with a number.
    func part(of thread: UInt) -> Locked<Value> { all[ThreadPart.place(of: thread)] }
}

/// Where threads find their parts in the list of ``ThreadParts``.
package enum ThreadPart {
    static var count: Int { 32 }

    /// The place of the calling thread's.
    package static var mine: Int { place(of: BlockThread.current) }

    static func place(of thread: UInt) -> Int {
        // Multiplied, for the numbers of threads are addresses, whose low bits are alike.
        Int(truncatingIfNeeded: (thread &* 0x9E37_79B9_7F4A_7C15) >> 59)
    }
}
