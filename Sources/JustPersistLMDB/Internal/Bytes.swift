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

    /// Whether this key comes before `bound` in the order of the engine.
    @unsafe func isBefore(_ bound: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let own = unsafe mv_data, let other = bound.baseAddress else {
            return unsafe mv_size < bound.count
        }
        let size = unsafe mv_size
        let order = unsafe memcmp(own, other, min(size, bound.count))
        return order < 0 || order == 0 && size < bound.count
    }
}
