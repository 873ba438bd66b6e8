import Foundation
import Synchronization

extension ItemID {
    /// A new id, greater than every id that this process made before.
    ///
    /// The clock is read for each id. If the clock is set back, ids continue to ascend from the latest one.
    public init() { self.init(atMillisecond: Self.currentMillisecond) }

    /// A new id for a time that was read from the clock before, for many ids in a row.
    ///
    /// RFC 9562, version 7, with the bits after the timestamp as a counter (§6.2). The counter starts at random once
    /// in a process rather than in each millisecond: the system's random numbers cost more than all the rest, and two
    /// processes are no more likely to draw equal bits.
    package init(atMillisecond now: UInt64) {
        // The time first: every later call sees this time or a later one, and a greater count.
        let time = max(now, Self.latest.max(now, ordering: .sequentiallyConsistent).newValue)
        let count = Self.count.add(1, ordering: .sequentiallyConsistent).newValue
        self.init(
            high: time << 16 | 0x7000 | Self.processBits,
            low: 0x8000_0000_0000_0000 | count & 0x3FFF_FFFF_FFFF_FFFF)
    }

    /// The milliseconds since 1970.
    package static var currentMillisecond: UInt64 {
        UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    }

    /// The latest time in an id.
    private static let latest = Atomic<UInt64>(0)
    /// The 62 bits next to the variant, with room for 2^61 ids before they wrap.
    private static let count = Atomic<UInt64>(.random(in: 0..<(1 << 61)))
    /// The 12 bits next to the version.
    private static let processBits = UInt64.random(in: 0..<(1 << 12))
}
