import Foundation
import Synchronization

extension ItemID {
    /// A new id, greater than every id that this process made before.
    ///
    /// Costs a look at the clock. Should the clock be set back, ids go on ascending from the latest one.
    public init() { self.init(atMillisecond: Self.currentMillisecond) }

    /// A new id as of a look at the clock that was taken before, for many ids in a row.
    ///
    /// RFC 9562, version 7, with the bits behind the timestamp as a counter (§6.2). It starts at random once in a
    /// process rather than in each millisecond: the system's random numbers cost more than all the rest, and two
    /// processes draw the same bits no sooner so.
    package init(atMillisecond now: UInt64) {
        // The time first: whoever comes later sees this one or a later one, and a greater count.
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
    /// The 62 bits beside the variant, with room for 2^61 ids before they wrap.
    private static let count = Atomic<UInt64>(.random(in: 0..<(1 << 61)))
    /// The 12 bits beside the version.
    private static let processBits = UInt64.random(in: 0..<(1 << 12))
}
