import Foundation

/// The reason why bytes cannot be understood.
struct Malformed: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// The objects of a binary property list.
///
/// Foundation's own readers trap on damaged input. This one reads each object on its own, so it does not recurse, and cycles of
/// references do no harm.
struct BinaryPropertyList {
    /// One object; collections have the places of their elements.
    enum Object: Equatable {
        case null
        case bool(Bool)
        case int(Int64)
        case double(Double)
        /// Seconds since 2001.
        case date(Double)
        case data(Data)
        case string(String)
        /// A place in another list, in archives.
        case uid(Int)
        /// An array or a set.
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    let objects: [Object]
    /// The place of the outermost object.
    let top: Int

    private static let mostObjects = 1_000_000
    /// The most elements of all collections together: one is a byte of the list, and eight when it is read.
    private static let mostReferences = 4_000_000

    /// Reads a list.
    init(_ bytes: [UInt8]) throws(Malformed) {
        var reader = Reader(bytes)
        (objects, top) = try reader.read(atMost: Self.mostObjects)
    }

    private struct Reader {
        let bytes: [UInt8]
        /// The bytes before the table of offsets.
        private var end = 0
        private var referenceSize = 0
        private var count = 0
        /// The bytes that objects may still have: in a sound list they do not overlap.
        private var left: Int
        private var referencesLeft = BinaryPropertyList.mostReferences

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            left = bytes.count
        }

        mutating func read(atMost limit: Int) throws(Malformed) -> ([Object], Int) {
            guard bytes.count >= 40, bytes.starts(with: Array("bplist0".utf8)) else {
                throw Malformed("it is no binary property list")
            }
            let trailer = bytes.count - 32
            let offsetSize = Int(bytes[trailer + 6])
            referenceSize = Int(bytes[trailer + 7])
            guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
                let count = number(trailer + 8, 8), let top = number(trailer + 16, 8),
                let table = number(trailer + 24, 8), (1...limit).contains(count), top < count,
                table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
            else { throw Malformed("its table of objects is damaged") }
            end = table
            self.count = count
            var objects: [Object] = []
            objects.reserveCapacity(count)
            for index in 0..<count {
                guard let offset = number(table + index * offsetSize, offsetSize), offset >= 8,
                    offset < end
                else { throw Malformed("object \(index) is outside of it") }
                objects.append(try object(at: offset))
            }
            return (objects, top)
        }

        /// A number of so many bytes; `nil` if it is not positive as an Int.
        private func number(_ place: Int, _ size: Int) -> Int? {
            var value: UInt64 = 0
            for byte in bytes[place..<place + size] { value = value << 8 | UInt64(byte) }
            return Int(exactly: value)
        }

        /// The bytes of an object after its marker.
        private mutating func body(_ place: Int, _ size: Int) throws(Malformed) -> ArraySlice<UInt8>
        {
            guard size <= end - place, size <= left else {
                throw Malformed("an object at \(place) is longer than it")
            }
            left -= size
            return bytes[place..<place + size]
        }

        private func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }

        private mutating func object(at offset: Int) throws(Malformed) -> Object {
            let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
            let next = offset + 1
            switch kind {
            case 0:
                switch low {
                case 0: return .null
                case 8: return .bool(false)
                case 9: return .bool(true)
                default: break
                }
            case 1 where low <= 3:
                let value = integer(try body(next, 1 << low))
                return .int(Int64(bitPattern: value))
            case 1 where low == 4:
                let all = try body(next, 16)
                let (high, value) = (
                    integer(all.prefix(8)), Int64(bitPattern: integer(all.suffix(8)))
                )
                if high == 0, value >= 0 || high == UInt64.max, value < 0 { return .int(value) }
                return .double(
                    Double(Int64(bitPattern: high)) * 0x1p64 + Double(UInt64(bitPattern: value)))
            case 2 where low == 2:
                let bits = UInt32(truncatingIfNeeded: integer(try body(next, 4)))
                return .double(Double(Float(bitPattern: bits)))
            case 2 where low == 3:
                return .double(Double(bitPattern: integer(try body(next, 8))))
            case 3 where low == 3:
                return .date(Double(bitPattern: integer(try body(next, 8))))
            case 8:
                let value = integer(try body(next, low + 1))
                guard low < 8, let place = Int(exactly: value) else { break }
                return .uid(place)
            case 4, 5, 6, 10, 12, 13:
                return try collection(kind, low, next)
            default: break
            }
            throw Malformed("the object at \(offset) is of no known kind")
        }

        private mutating func collection(
            _ kind: UInt8, _ low: Int, _ place: Int
        ) throws(Malformed) -> Object {
            var (length, place) = (low, place)
            if low == 15 {
                guard place < end, bytes[place] >> 4 == 1, bytes[place] & 15 <= 3 else {
                    throw Malformed("the object at \(place) has no length")
                }
                let size = 1 << Int(bytes[place] & 15)
                guard let value = Int(exactly: integer(try body(place + 1, size))) else {
                    throw Malformed("the object at \(place) is longer than it")
                }
                length = value
                place += 1 + size
            }
            guard length <= bytes.count else {
                throw Malformed("the object at \(place) is longer than it")
            }
            switch kind {
            case 4: return .data(Data(try body(place, length)))
            case 5: return .string(String(decoding: try body(place, length), as: UTF8.self))
            case 6:
                let text = try body(place, 2 * length)
                let units = stride(from: text.startIndex, to: text.endIndex, by: 2)
                    .map { UInt16(text[$0]) << 8 | UInt16(text[$0 + 1]) }
                return .string(String(decoding: units, as: UTF16.self))
            case 13:
                let all = try references(place, 2 * length)
                return .dictionary(keys: Array(all[..<length]), values: Array(all[length...]))
            default: return .array(try references(place, length))
            }
        }

        private mutating func references(_ place: Int, _ length: Int) throws(Malformed) -> [Int] {
            guard length <= (end - place) / referenceSize else {
                throw Malformed("the object at \(place) is longer than it")
            }
            referencesLeft -= length
            guard referencesLeft >= 0 else { throw Malformed("it has too many references") }
            let all = try body(place, length * referenceSize)
            var found: [Int] = []
            found.reserveCapacity(length)
            for start in stride(from: all.startIndex, to: all.endIndex, by: referenceSize) {
                guard let index = number(start, referenceSize), index < count else {
                    throw Malformed("an object at \(place) has an element that does not exist")
                }
                found.append(index)
            }
            return found
        }
    }
}
