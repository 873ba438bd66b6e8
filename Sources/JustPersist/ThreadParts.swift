/// Values with a lock each, of which each thread uses one: threads seldom wait for each other.
// Inlined, as in `Locked`: otherwise each use looks up generic metadata, and each block uses several.
package struct ThreadParts<Value>: Sendable {
    /// All of them, for work on the whole.
    package let all: [Locked<Value>]

    /// Parts that begin as `make` says.
    package init(_ make: () -> sending Value) { all = (0..<32).map { _ in Locked(make()) } }

    /// That of the calling thread.
    package var mine: Locked<Value> {
        @inlinable @inline(__always) get { part(of: BlockThread.current) }
    }

    /// That of the thread with a number.
    @inlinable @inline(__always)
    package func part(of thread: UInt) -> Locked<Value> {
        // Multiplied, for the numbers of threads are addresses, whose low bits are alike.
        all[Int(truncatingIfNeeded: (thread &* 0x9E37_79B9_7F4A_7C15) >> 59)]
    }
}
