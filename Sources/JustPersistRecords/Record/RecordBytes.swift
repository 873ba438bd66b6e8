import JustPersist

// This file has almost all unsafe code of this target: loads, stores and copies of bytes, and the hash
// over them. Measured on 100,000 records, byte-by-byte loads made a filtered count three times slower.
//
// SAFETY, for the whole file: a pointer does not escape the closure that receives it, and every offset is checked
// against the count before it is used. Callers check too, because a stored offset is input.

extension Span<UInt8> {
    /// The little-endian word at `offset`; 0 if the bytes end before it does.
    @inline(__always)
    func word16(at offset: Int) -> UInt16 {
        guard offset >= 0, offset <= count - 2 else { return 0 }
        return unsafe UInt16(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The little-endian word at `offset`; 0 if the bytes end before it does.
    @inline(__always)
    func word32(at offset: Int) -> UInt32 {
        guard offset >= 0, offset <= count - 4 else { return 0 }
        return unsafe UInt32(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The little-endian word at `offset`; 0 if the bytes end before it does.
    @inline(__always)
    func word64(at offset: Int) -> UInt64 {
        guard offset >= 0, offset <= count - 8 else { return 0 }
        return unsafe UInt64(
            littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// A copy of the bytes.
    func copied() -> [UInt8] {
        unsafe withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy of the bytes in `range`, clamped to the existing bytes.
    func copied(_ range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        return unsafe withUnsafeBufferPointer { unsafe Array($0[range]) }
    }

    /// The bytes in `range` as text; bytes that are not UTF-8 become U+FFFD.
    func text(in range: Range<Int>) -> String {
        let range = range.clamped(to: 0..<count)
        return unsafe withUnsafeBufferPointer {
            unsafe String(decoding: UnsafeBufferPointer(rebasing: $0[range]), as: UTF8.self)
        }
    }

    /// The sign of the comparison of the bytes in `range` with `other`, as unsigned bytes; a prefix comes first.
    @inline(__always)
    func compare(_ range: Range<Int>, _ other: Span<UInt8>) -> Int {
        let shared = Swift.min(range.count, other.count)
        var offset = 0
        while shared >= 8 {
            let a = word64(at: range.lowerBound + offset)
            let b = other.word64(at: offset)
            if a != b { return a.byteSwapped < b.byteSwapped ? -1 : 1 }
            if offset == shared - 8 { return range.count - other.count }
            // The last word may overlap the previous one.
            offset = Swift.min(offset + 8, shared - 8)
        }
        while offset < shared {
            let a = self[range.lowerBound + offset]
            let b = other[offset]
            if a != b { return a < b ? -1 : 1 }
            offset += 1
        }
        return range.count - other.count
    }

    /// The wyhash (final version 4, its first four secrets) of the bytes in `range`, clamped to the existing bytes.
    ///
    /// Chosen over CRC-32C because it needs no special instructions: 150 bytes take about 10 ns.
    @inline(__always)
    func wyhash(_ range: Range<Int>, seed: UInt64) -> UInt64 {
        let range = range.clamped(to: 0..<count)
        return unsafe withUnsafeBytes { bytes in
            unsafe Self.wyhash(
                UnsafeRawBufferPointer(rebasing: bytes[range]), seed: seed)
        }
    }

    @inline(__always)
    private static func wyhash(_ bytes: UnsafeRawBufferPointer, seed initialSeed: UInt64) -> UInt64
    {
        // An empty buffer may have no address, so it must not be unwrapped.
        // SAFETY: the branches on the length ensure that each word loaded below ends within the buffer.
        @inline(__always) func load64(_ offset: Int) -> UInt64 {
            unsafe UInt64(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        @inline(__always) func load32(_ offset: Int) -> UInt64 {
            unsafe UInt64(
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        }
        let s0: UInt64 = 0xa076_1d64_78bd_642f
        let s1: UInt64 = 0xe703_7ed1_a0b4_28db
        let s2: UInt64 = 0x8ebc_6af0_9c88_c6e3
        let s3: UInt64 = 0x5899_65cc_7537_4cc3
        let length = bytes.count
        var seed = initialSeed ^ mix(initialSeed ^ s0, s1)
        let a: UInt64
        let b: UInt64
        if length <= 16 {
            if length >= 4 {
                let step = (length >> 3) << 2
                a = load32(0) << 32 | load32(step)
                b = load32(length - 4) << 32 | load32(length - 4 - step)
            } else if length > 0 {
                a =
                    unsafe UInt64(bytes[0]) << 16 | UInt64(bytes[length >> 1]) << 8
                    | UInt64(bytes[length - 1])
                b = 0
            } else {
                a = 0
                b = 0
            }
        } else {
            var p = 0
            var left = length
            if left > 48 {
                var second = seed
                var third = seed
                repeat {
                    seed = mix(load64(p) ^ s1, load64(p + 8) ^ seed)
                    second = mix(load64(p + 16) ^ s2, load64(p + 24) ^ second)
                    third = mix(load64(p + 32) ^ s3, load64(p + 40) ^ third)
                    p += 48
                    left -= 48
                } while left > 48
                seed ^= second ^ third
            }
            while left > 16 {
                seed = mix(load64(p) ^ s1, load64(p + 8) ^ seed)
                p += 16
                left -= 16
            }
            a = load64(p + left - 16)
            b = load64(p + left - 8)
        }
        let product = (a ^ s1).multipliedFullWidth(by: b ^ seed)
        return mix(product.low ^ s0 ^ UInt64(length), product.high ^ s1)
    }

    @inline(__always)
    private static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

extension [UInt8] {
    /// Appends the bytes of a word, the least significant first.
    @inline(__always)
    mutating func append<Word: FixedWidthInteger>(littleEndian word: Word) {
        unsafe Swift.withUnsafeBytes(of: word.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends a copy of bytes.
    @inline(__always)
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends a text and returns its tag.
    mutating func append(_ text: String) -> UInt8 {
        if let tag = unsafe text.utf8.withContiguousStorageIfAvailable({ unsafe append(text: $0) })
        {
            return tag
        }
        let start = count
        append(contentsOf: text.utf8)
        return ValueTag.tag(ofTextWith: self[start...].max() ?? 0)
    }

    private mutating func append(text bytes: UnsafeBufferPointer<UInt8>) -> UInt8 {
        unsafe append(contentsOf: bytes)
        var greatest: UInt8 = 0
        for index in bytes.indices { greatest = unsafe Swift.max(greatest, bytes[index]) }
        return ValueTag.tag(ofTextWith: greatest)
    }

    /// Overwrites the bytes at `offset` with a word, the least significant byte first.
    ///
    /// The bytes must exist.
    @inline(__always)
    mutating func store<Word: FixedWidthInteger>(littleEndian word: Word, at offset: Int) {
        precondition(offset >= 0 && offset + Word.bitWidth / 8 <= count)
        unsafe withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: word.littleEndian, toByteOffset: offset, as: Word.self)
        }
    }

    /// Overwrites the bytes at `offset` with a word, the most significant byte first.
    ///
    /// The bytes must exist.
    @inline(__always)
    mutating func store<Word: FixedWidthInteger>(bigEndian word: Word, at offset: Int) {
        store(littleEndian: word.byteSwapped, at: offset)
    }

    /// Replaces a range with the bytes from `tail` to the end.
    mutating func moveTail(from tail: Int, over range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= tail && tail <= count)
        let length = count - tail
        if length == 0 && range.isEmpty { return }
        // Reserves room for a copy, because the bytes in between move over the tail.
        let copy = count
        append(contentsOf: repeatElement(0, count: length))
        unsafe withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe (start + copy).copyMemory(from: start + tail, byteCount: length)
            unsafe (start + range.lowerBound + length).copyMemory(
                from: start + range.upperBound, byteCount: tail - range.upperBound)
            unsafe (start + range.lowerBound).copyMemory(from: start + copy, byteCount: length)
        }
        removeLast(length + range.count)
    }
}
