import Foundation
import JustPersistConformance
import Testing

@testable import JustPersistImportExport

/// What is JSON is decided by RFC 8259, of which Foundation's parser is a second reading.
///
/// Where the two differ on purpose, the documents keep away: nesting beyond 100 levels, numbers beyond all
/// kinds and UTF-16 are refused here. A comma after the last member or element is taken by Foundation.
@Suite struct JSONStrictnessTests {
    private static let documents = [
        #"{"a":1.5e3,"b":"x\u00e9\n","c":[true,null,false]}"#,
        #"[-0,0.5,1E+2,2e-3,123456789,-7,[[],{}],""]"#,
        #"{"k\"[":"\\","é":"日本 😀","\ud83d\ude00":[{"a":{"b":[1]}}]}"#,
        " [ 1 , \"two\\/\\b\\f\\r\\t\" ,{ \"three\" : 3.0 } , true ] ", "40.5", "\"\"", "null",
    ].map { Array($0.utf8) }

    private static let pieces: [[UInt8]] =
        [
            "//", "/*x*/", "#", "\\u", "\\ud800", "\\udc00", "\\u12", "\\x", "\\", "\"", "'", "e",
            "E5",
            ".", ".5", "5.", "-", "+", "+1", "0", "00", "01", "0x1", "NaN", "Infinity", "tru",
            "nul",
            "True", "[", "]", "{", "}", ",", ":", ",,", "[]", "{}", "\t", "\r", "\u{b}", "\u{a0}",
            "\u{feff}", "\0", "\u{7f}", "é",
        ].map { Array($0.utf8) } + [
            [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80],
        ]

    /// A document with a few places changed.
    private static func document(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = documents.randomElement(using: &generator) ?? []
        for _ in 0..<Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 0...3, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = .random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.swapAt(place, Int.random(in: bytes.indices, using: &generator))
            default:
                bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: place)
            }
        }
        return bytes
    }

    private static func foundationAccepts(_ text: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text))) != nil && !hasCommaAtAnEnd(text)
    }

    /// Whether a bracket closes after a comma, in a text that is JSON otherwise.
    private static func hasCommaAtAnEnd(_ text: [UInt8]) -> Bool {
        var isInString = false
        var isEscaped = false
        var isBehindComma = false
        for byte in text {
            if isInString {
                isInString = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: continue
            case UInt8(ascii: "]"), UInt8(ascii: "}"): if isBehindComma { return true }
            case UInt8(ascii: "\""): isInString = true
            default: break
            }
            isBehindComma = byte == UInt8(ascii: ",")
        }
        return false
    }

    private static func parserAccepts(_ text: [UInt8]) -> Bool {
        var parser = JSONParser(text, text.indices)
        return (try? parser.object()) != nil
    }

    private static func checkerAccepts(_ text: [UInt8]) -> Bool {
        var checker = JSONChecker(line: 1)
        do {
            for byte in text { try checker.take(byte) }
            try checker.end()
            return true
        } catch {
            return false
        }
    }

    @Test func textsThatFoundationTakesForJSONAreTakenAndNoOthers() {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        var differences: [String] = []
        for _ in 0..<20_000 {
            let text = Array(#"{"v":"#.utf8) + Self.document(&generator) + [UInt8(ascii: "}")]
            let expected = Self.foundationAccepts(text)
            accepted += expected ? 1 : 0
            if Self.parserAccepts(text) != expected || Self.checkerAccepts(text) != expected {
                differences.append("\(String(decoding: text, as: UTF8.self)) \(text)")
            }
        }
        #expect(differences.isEmpty, "seed \(seed)")
        #expect((4_000...16_000).contains(accepted), "seed \(seed)")
    }

    @Test func filesWithTextThatIsNoJSONBesideTheirArrayAreRefused() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let store = try memoryStore()
        var refused = 0
        for round in 0..<1_000 {
            let document = Self.document(&generator)
            let parts = [#"{"x":"#, #","items":[{"a":1}]}"#].map { Array($0.utf8) }
            let other = [#"{"items":[{"a":1}],"x":"#, "}"].map { Array($0.utf8) }
            let text =
                round % 2 == 0 ? parts[0] + document + parts[1] : other[0] + document + other[1]
            if Self.foundationAccepts(text) { continue }
            refused += 1
            let file = try directory.file("r.json", text)
            #expect(
                throws: (any Error).self,
                "seed \(seed): \(String(decoding: text, as: UTF8.self)) \(text)"
            ) { try ItemImport(itemType: "T", chunkSize: 64).run(file, into: store) }
        }
        #expect(refused > 300, "seed \(seed)")
        #expect(try store.rows() == [])
    }
}
