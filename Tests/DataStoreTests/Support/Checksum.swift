/// The checksums of the file format, implemented from its description.
enum Checksum {
    /// Corrects the checksum of an entry with any value.
    static func correct(_ entry: inout (key: [UInt8], value: [UInt8])) {
        let (key, value) = entry
        guard let tag = key.first else { return }
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        switch tag {
        case StoredBytes.headerTag where value.count >= 56:
            store(hash(value[..<(value.count - 8)], seed: 0), at: value.count - 8, in: &entry.value)
        case StoredBytes.catalogTag where key.count == 5 && value.count >= 8:
            store(hash(value[8...], seed: word(key[1...])), at: 0, in: &entry.value)
        case StoredBytes.counterTag where key.count == 5 && value.count == 16:
            store(hash(value[..<8], seed: word(key[1...])), at: 8, in: &entry.value)
        case StoredBytes.recordTag where key.count == 21 && value.count >= 8:
            let high = word(key[5..<13])
            let low = word(key[13..<21])
            let seed = high ^ (low << 32 | low >> 32) ^ word(key[1..<5])
            store(hash(value[8...], seed: seed), at: 0, in: &entry.value)
        case StoredBytes.indexTag where value.count == 4:
            let checksum = hash(key[...], seed: 0)
            for index in 0..<4 {
                entry.value[index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt64(index)))
            }
        case StoredBytes.changeTag where key.count == 9 && value.count >= 8:
            store(hash(value[8...], seed: word(key[1...])), at: 0, in: &entry.value)
        case StoredBytes.linkTag, StoredBytes.workTag:
            let end = value.count - 8
            if end < 0 { return }
            store(hash(value[..<end], seed: hash(key[...], seed: 0)), at: end, in: &entry.value)
        default: break
        }
    }

    private static func store(_ word: UInt64, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<8 {
            bytes[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))
        }
    }

    /// wyhash, final version 4, with its first four secrets.
    static func hash(_ slice: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
        let bytes = Array(slice)
        let secrets: [UInt64] = [
            0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3,
            0x5899_65cc_7537_4cc3,
        ]
        func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
            let product = a.multipliedFullWidth(by: b)
            return product.high ^ product.low
        }
        func load(_ offset: Int, _ count: Int) -> UInt64 {
            (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
        }
        var seed = seed ^ mix(seed ^ secrets[0], secrets[1])
        let length = bytes.count
        var (a, b): (UInt64, UInt64) = (0, 0)
        if length > 16 {
            var place = 0
            var left = length
            if left > 48 {
                var (second, third) = (seed, seed)
                repeat {
                    seed = mix(load(place, 8) ^ secrets[1], load(place + 8, 8) ^ seed)
                    second = mix(load(place + 16, 8) ^ secrets[2], load(place + 24, 8) ^ second)
                    third = mix(load(place + 32, 8) ^ secrets[3], load(place + 40, 8) ^ third)
                    place += 48
                    left -= 48
                } while left > 48
                seed ^= second ^ third
            }
            while left > 16 {
                seed = mix(load(place, 8) ^ secrets[1], load(place + 8, 8) ^ seed)
                place += 16
                left -= 16
            }
            (a, b) = (load(length - 16, 8), load(length - 8, 8))
        } else if length >= 4 {
            let step = (length >> 3) << 2
            a = load(0, 4) << 32 | load(step, 4)
            b = load(length - 4, 4) << 32 | load(length - 4 - step, 4)
        } else if length > 0 {
            a =
                UInt64(bytes[0]) << 16 | UInt64(bytes[length >> 1]) << 8
                | UInt64(bytes[length - 1])
        }
        let product = (a ^ secrets[1]).multipliedFullWidth(by: b ^ seed)
        return mix(product.low ^ secrets[0] ^ UInt64(length), product.high ^ secrets[1])
    }
}
