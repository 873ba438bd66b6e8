import CLMDB
import Foundation

extension MDB_val {
    /// A value that points at `bytes`, for a call during which they stay.
    @unsafe init(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe self.init(
            mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    /// The bytes pointed at, valid as long as LMDB leaves them there.
    @unsafe var bytes: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(
            start: mv_data?.assumingMemoryBound(to: UInt8.self), count: mv_data == nil ? 0 : mv_size
        )
    }

    /// Has the processor fetch the two entries that probably follow one in the order of keys.
    ///
    /// LMDB fills a page from its end, so that entries which were added in order, or moved when a page was split, lie
    /// each in front of the one before; the processor itself expects the opposite. Without this, waiting for memory took
    /// a third of a scan's time.
    @inline(__always)
    @unsafe static func prefetchEntries(behind key: MDB_val, _ value: MDB_val) {
        let start = unsafe UInt(bitPattern: key.mv_data)
        // About as long as this one; a value in pages of its own says nothing.
        let end = unsafe UInt(bitPattern: value.mv_data) &+ UInt(value.mv_size)
        let length = 2 &* min(end &- start, 256)
        var distance: UInt = 64
        while distance < length &+ 64 {
            unsafe jp_prefetch(UnsafeRawPointer(bitPattern: start &- distance))
            distance += 64
        }
    }

    /// Whether this key comes before `bound` in the order of the engine.
    @unsafe func isBefore(_ bound: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let own = unsafe mv_data, let other = bound.baseAddress else {
            return unsafe mv_size < bound.count
        }
        let size = unsafe mv_size
        let shared = min(size, bound.count)
        var place = 0
        // The bounds of a scan are short, mostly, and a call for each key would cost more than this.
        if shared >= 4 {
            let word = unsafe UInt32(bigEndian: own.loadUnaligned(as: UInt32.self))
            let otherWord = unsafe UInt32(
                bigEndian: UnsafeRawPointer(other).loadUnaligned(as: UInt32.self))
            if word != otherWord { return word < otherWord }
            place = 4
        }
        while place < shared, place < 8 {
            let byte = unsafe own.load(fromByteOffset: place, as: UInt8.self)
            let otherByte = unsafe other[place]
            if byte != otherByte { return byte < otherByte }
            place += 1
        }
        let order = unsafe place == shared ? 0 : memcmp(own + place, other + place, shared - place)
        return order < 0 || order == 0 && size < bound.count
    }
}
