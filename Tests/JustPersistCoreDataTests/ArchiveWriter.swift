import Foundation

/// A property list that a test writes in the binary form.
indirect enum PropertyList {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case data(Data)
    case uid(Int)
    case array([PropertyList])
    case dictionary([(String, PropertyList)])

    /// The bytes, with objects of 4 bytes' references and offsets.
    var bytes: [UInt8] {
        var objects: [[UInt8]] = []
        func big(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        }
        func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
            if count < 15 { return [kind << 4 | UInt8(count)] }
            return [kind << 4 | 15, 0x12] + big(UInt64(count), 4)
        }
        func references(_ places: [Int]) -> [UInt8] { places.flatMap { big(UInt64($0), 4) } }
        func add(_ list: PropertyList) -> Int {
            let place = objects.count
            objects.append([])
            switch list {
            case .null: objects[place] = [0]
            case .bool(let value): objects[place] = [value ? 9 : 8]
            case .int(let value): objects[place] = [0x13] + big(UInt64(bitPattern: value), 8)
            case .double(let value): objects[place] = [0x23] + big(value.bitPattern, 8)
            case .uid(let value): objects[place] = [0x83] + big(UInt64(value), 4)
            case .data(let data): objects[place] = marker(4, data.count) + Array(data)
            case .string(let text) where text.utf8.allSatisfy({ $0 < 128 }):
                objects[place] = marker(5, text.utf8.count) + Array(text.utf8)
            case .string(let text):
                objects[place] =
                    marker(6, text.utf16.count) + text.utf16.flatMap { big(UInt64($0), 2) }
            case .array(let elements):
                let places = elements.map(add)
                objects[place] = marker(10, elements.count) + references(places)
            case .dictionary(let members):
                let keys = members.map { add(.string($0.0)) }
                let values = members.map { add($0.1) }
                objects[place] = marker(13, members.count) + references(keys + values)
            }
            return place
        }
        let top = add(self)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        bytes += offsets.flatMap { big(UInt64($0), 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 4]
        return bytes + big(UInt64(objects.count), 8) + big(UInt64(top), 8) + big(UInt64(table), 8)
    }
}

/// Writes archives as NSKeyedArchiver does.
final class ArchiveWriter {
    private var objects: [PropertyList] = [.string("$null")]
    private var classes: [String: Int] = [:]

    /// Adds an object of a class, and returns a reference to it.
    func object(_ name: String, _ members: [(String, PropertyList)]) -> PropertyList {
        if classes[name] == nil {
            classes[name] = objects.count
            objects.append(
                .dictionary([
                    ("$classname", .string(name)),
                    ("$classes", .array([.string(name), .string("NSObject")])),
                ]))
        }
        objects.append(.dictionary(members + [("$class", .uid(classes[name] ?? 0))]))
        return .uid(objects.count - 1)
    }

    /// Adds a value without a class, and returns a reference to it.
    func value(_ value: PropertyList) -> PropertyList {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    func text(_ text: String?) -> PropertyList { text.map { value(.string($0)) } ?? .uid(0) }

    func array(_ elements: [PropertyList]) -> PropertyList {
        object("NSArray", [("NS.objects", .array(elements))])
    }

    func dictionary(_ entries: [(String, PropertyList)]) -> PropertyList {
        object(
            "NSDictionary",
            [
                ("NS.keys", .array(entries.map { text($0.0) })),
                ("NS.objects", .array(entries.map(\.1))),
            ])
    }

    /// The archive with an object as its root.
    func bytes(root: PropertyList) -> [UInt8] {
        PropertyList.dictionary([
            ("$version", .int(100_000)), ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", root)])), ("$objects", .array(objects)),
        ]).bytes
    }
}

/// Bytes as raw deflate, without compression.
func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes[...]
    repeat {
        let piece = rest.prefix(0xFFFF)
        rest = rest.dropFirst(piece.count)
        let count = UInt16(piece.count)
        result.append(rest.isEmpty ? 1 : 0)
        for value in [count, ~count] { result += [UInt8(value & 0xFF), UInt8(value >> 8)] }
        result += piece
    } while !rest.isEmpty
    return result
}

/// Zeros as raw deflate: one, and so many repetitions of it 258 times.
func deflatedZeros(_ count: Int) -> [UInt8] {
    var (bytes, bits): ([UInt8], Int) = ([], 0)
    func add(_ code: String) {
        for bit in code {
            if bits % 8 == 0 { bytes.append(0) }
            if bit == "1" { bytes[bytes.count - 1] |= 1 << UInt8(bits % 8) }
            bits += 1
        }
    }
    // The last block, with fixed codes: the literal 0, then the greatest length and the distance 1.
    add("11000110000")
    for _ in 0..<count { add("1100010100000") }
    add("0000000")
    return bytes
}

/// Bytes as a literal in SQL.
func literal(_ bytes: [UInt8]) -> String {
    "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
}
