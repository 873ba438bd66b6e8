import Foundation
import JustPersist
import JustPersistImportExport
import JustPersistMemory
import Workload

/// Imports files that are almost JSON.
struct JSONInputs {
    let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// Every input is imported whole, or refused with an error and the store counts what was told.
    func run() throws {
        let file = try arguments.text("file")
        var random = SeededGenerator(
            seed: try arguments.workload.seed, try arguments.number("batch", or: 0))
        var accepted = 0
        for _ in 0..<(try arguments.number("inputs", or: 1)) {
            let lines = random.int(in: 0..<3) == 0
            let bytes = Self.mutated(Self.document(lines: lines, &random), &random)
            try Data(bytes).write(to: URL(filePath: file))
            let store = InMemoryDataStore()
            try store.open()
            do {
                let count = try ItemImport(
                    itemType: "Item", format: lines ? .jsonLines : .automatic
                )
                .run(URL(filePath: file), into: store).items
                let counted = try store.read { try $0.count(DataStoreRequest(itemTypeKey: "Item")) }
                guard counted == count else {
                    Probe.fail(.wrongAnswer, "\(count) were imported, \(counted) are there")
                }
                accepted += 1
            } catch is DataStoreError {}
            try store.close()
        }
        Probe.say("accepted \(accepted)")
    }

    /// A document as it should be.
    private static func document(lines: Bool, _ random: inout SeededGenerator) -> [UInt8] {
        let rows = (0..<random.int(in: 0..<5)).map { _ in object(depth: 0, &random) }
        if lines { return Array(rows.joined(separator: "\n").utf8) }
        let array = "[" + rows.joined(separator: ",") + "]"
        return Array(
            (random.int(in: 0..<3) == 0
                ? "{\"x\":\(value(depth: 1, &random)),\"items\":\(array)}" : array).utf8)
    }

    private static func object(depth: Int, _ random: inout SeededGenerator) -> String {
        let members = (0..<random.int(in: 0..<4)).map { _ in
            "\(random.pick(["\"a\"", "\"b\"", "\"\"", "\"é\"", "\"$date\""])):\(value(depth: depth + 1, &random))"
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func value(depth: Int, _ random: inout SeededGenerator) -> String {
        switch random.int(in: 0..<(depth > 3 ? 5 : 7)) {
        case 0: random.pick(["null", "true", "false"])
        case 1: String(random.int(in: -5..<5))
        case 2:
            random.pick(["1.5", "-0.0", "1e400", "9223372036854775808", "0.1e-400", "5e0", "1E+2"])
        case 3:
            random.pick([
                "\"text\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"",
                "\"2020-01-01T00:00:00Z\"",
            ])
        case 4: random.pick(["[]", "{}", "\"\""])
        case 5:
            "[" + value(depth: depth + 1, &random) + "," + value(depth: depth + 1, &random) + "]"
        default: object(depth: depth, &random)
        }
    }

    /// A few bytes changed, taken out, put in, or a piece twice.
    static func mutated(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<random.int(in: 0..<5) {
            guard !bytes.isEmpty else { return bytes }
            let place = random.int(in: 0..<bytes.count)
            switch random.int(in: 0..<5) {
            case 0: bytes[place] = UInt8(random.int(in: 0..<256))
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(random.pick(Array("{}[]\",:\\/.eE+-0 \n\u{0}tfn*".utf8)), at: place)
            case 3: bytes.removeSubrange(place...)
            default:
                let piece = Array(bytes[place..<min(bytes.count, place + random.int(in: 1..<20))])
                let count = random.int(in: 0..<30) == 0 ? 3000 : 1
                for _ in 0..<count { bytes.insert(contentsOf: piece, at: place) }
            }
        }
        return bytes
    }
}
