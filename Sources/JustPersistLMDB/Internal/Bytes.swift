import CLMDB
import Foundation

extension MDB_val {
    /// A value that points to `bytes`, for a call during which they stay valid.
    @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    /// The bytes to which it points, valid as long as LMDB keeps them.
    @unsafe var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: mv_data?.assumingMemoryBound(to: UInt8.self), count: mv_data == nil ? 0 : mv_size
        )
    }

    /// Prefetches the two entries that probably follow an entry in the order of keys.
    ///
    /// LMDB fills a page from its end, so entries that were added in order, or moved when a page was split, are each
    /// stored before the previous one; the processor itself expects the opposite. Without this, waiting for memory took
    /// a third of a scan's time.
    @inline(__always)
    @unsafe static func prefetchEntries(behind key: MDB_val, _ value: MDB_val) {
        let start = unsafe UInt(bitPattern: key.mv_data)
        // Assumes that they are as long as this one; a value in pages of its own says nothing about them.
        let end = unsafe UInt(bitPattern: value.mv_data) &+ UInt(value.mv_size)
        let length = 2 &* min(end &- start, 256)
        var distance: UInt = 64
        while distance < length &+ 64 {
            unsafe jp_prefetch(UnsafeRawPointer(bitPattern: start &- distance))
            distance += 64
        }
    }

    /// Whether this key is less than `bound` in the order of the engine.
    @unsafe func isBefore(_ bound: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let own = unsafe mv_data, let other = bound.baseAddress else {
            return unsafe mv_size < bound.count
        }
        let size = unsafe mv_size
        let shared = min(size, bound.count)
        // Word by word: a call for each key of a scan would cost more. The last word may overlap the one before.
        var place = 0
        while shared >= 8 {
            let word = unsafe UInt64(bigEndian: Self.load(own, at: place))
            let otherWord = unsafe UInt64(bigEndian: Self.load(other, at: place))
            if word != otherWord { return word < otherWord }
            if place == shared - 8 { return size < bound.count }
            place = min(place + 8, shared - 8)
        }
        while shared >= 4 {
            let word = unsafe UInt32(bigEndian: Self.load(own, at: place))
            let otherWord = unsafe UInt32(bigEndian: Self.load(other, at: place))
            if word != otherWord { return word < otherWord }
            if place == shared - 4 { return size < bound.count }
            place = shared - 4
        }
        let order = unsafe memcmp(own, other, shared)
        return order < 0 || order == 0 && size < bound.count
    }

    // SAFETY: the caller has checked the number of bytes.
    @inline(__always)
    @unsafe private static func load<Word: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawPointer, at place: Int
    ) -> Word { unsafe bytes.loadUnaligned(fromByteOffset: place, as: Word.self) }
}
