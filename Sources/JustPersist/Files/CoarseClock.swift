import Foundation

// On Linux the clock may be seen as this module's, whichever came to include its header first.
#if canImport(CDispatch)
    import CDispatch
#endif

/// A clock that is some milliseconds late, and costs next to nothing to read.
package enum CoarseClock {
    /// The milliseconds since some moment before the process.
    package static var milliseconds: UInt64 {
        #if canImport(Darwin)
            return clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX) / 1_000_000
        #else
            var time = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
            return UInt64(time.tv_sec) &* 1000 &+ UInt64(time.tv_nsec) / 1_000_000
        #endif
    }
}
