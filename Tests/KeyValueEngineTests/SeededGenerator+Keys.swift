import JustPersistConformance
import JustPersistRecords

extension SeededGenerator {
    /// A key of a few bytes from a small alphabet.
    ///
    /// Many keys are equal, and many are prefixes of others.
    mutating func key(upTo length: Int = 6) -> [UInt8] {
        let alphabet: [UInt8] = [0, 1, 0x61, 0x7F, 0x80, 0xFE, 0xFF]
        return (0..<Int.random(in: 1...length, using: &self)).map { _ in
            alphabet.randomElement(using: &self) ?? 0
        }
    }

    mutating func bytes(upTo length: Int) -> [UInt8] {
        (0..<Int.random(in: 0...length, using: &self)).map { _ in
            UInt8.random(in: .min ... .max, using: &self)
        }
    }

    mutating func range(upTo length: Int = 6) -> KeyRange {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .all
        case 1: KeyRange(prefix: key(upTo: 2))
        case 2: KeyRange(from: key(upTo: length), upTo: nil)
        default: KeyRange(from: key(upTo: length), upTo: key(upTo: length))
        }
    }
}
