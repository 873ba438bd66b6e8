import Foundation
import JustPersist

/// The objects of a file, parsed, in batches.
struct JSONRows {
    struct Row {
        let line: Int
        let members: [JSONParser.Member]
    }

    private let settings: JSONImport
    private let fileName: String
    private var reader: JSONItemReader
    /// A batch ends behind this many bytes of text.
    private static let batchBytes = 16 << 20

    /// The rows of a file that was just opened.
    init(_ settings: JSONImport, _ file: FileHandle, name: String) throws {
        self.settings = settings
        fileName = name
        do {
            reader = try Self.reader(settings, file, name: name)
            for _ in 0..<settings.skipping {
                if try reader.next() == nil { break }
            }
        } catch let failure as JSONItemReader.Failure {
            throw Self.error(name, line: failure.line, failure.reason, "Nothing was stored.")
        }
    }

    /// The number of bytes read.
    var offset: Int { reader.offset }

    /// The next rows, none behind the last one, with the number of rows that are in the store by now.
    mutating func next(after stored: Int) throws -> [Row] {
        var batch: [Row] = []
        let start = reader.offset
        do {
            while batch.count < settings.batchSize, reader.offset - start < Self.batchBytes,
                let item = try reader.next()
            {
                batch.append(try row(item))
            }
            return batch
        } catch let failure as JSONItemReader.Failure {
            throw Self.error(fileName, line: failure.line, failure.reason, state(after: stored))
        }
    }

    private func row(_ item: JSONItemReader.Item) throws -> Row {
        var parser = JSONParser(reader.buffer, item.range)
        let members: [JSONParser.Member]
        do throws(JSONParser.Failure) {
            members = try parser.object()
        } catch {
            let before = reader.buffer[item.range.lowerBound..<error.offset]
            let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? before.startIndex
            let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
            let line = item.line + before.count { $0 == 0x0a }
            throw JSONItemReader.Failure(
                reason: "\(error.reason) (column \(column))", line: line)
        }
        for member in members where member.name.isEmpty || member.name.contains(".") {
            throw JSONItemReader.Failure(
                reason: """
                    the key “\(member.name)” cannot be the name of an attribute, as it \
                    \(member.name.isEmpty ? "is empty" : "has a dot")
                    """, line: item.line)
        }
        return Row(line: item.line, members: members)
    }

    /// The error for a batch that the store did not take.
    func refused(_ batch: [Row], _ error: DataStoreError, after stored: Int) -> DataStoreError {
        let lines = [batch.first?.line, batch.last?.line].compactMap { $0.map(String.init) }
        return DataStoreError(
            error.code, in: error.operation,
            """
            “\(fileName)”, lines \(lines.joined(separator: "–")): \(error.message) \
            \(state(after: stored))
            """, itemType: settings.itemType, attribute: error.attribute, engine: error.engine)
    }

    /// What is in the store, and how to go on.
    private func state(after stored: Int) -> String {
        let done = settings.skipping + stored
        return done == 0
            ? "Nothing was stored; correct the file and import it again."
            : """
            The \(done) items before are stored, and nothing else; correct the file and import it \
            again without its first \(done) items.
            """
    }

    private static func error(
        _ fileName: String, line: Int, _ reason: String, _ state: String
    ) -> DataStoreError {
        DataStoreError(
            .invalidInput, in: "import", "“\(fileName)”, line \(line): \(reason). \(state)")
    }
}

extension JSONRows {
    /// A reader of the items, as the layout has it.
    private static func reader(
        _ settings: JSONImport, _ file: FileHandle, name: String
    ) throws -> JSONItemReader {
        var reader = try JSONItemReader(file, chunkSize: settings.chunkSize)
        if settings.layout == .lines { return reader }
        var wanted: String?
        if case .member(let name) = settings.layout { wanted = name }
        guard let first = try reader.nextVisible() else { return reader }
        let isLines = ["jsonl", "ndjson"].contains((name as NSString).pathExtension.lowercased())
        if isLines, wanted == nil { return reader }
        if first == UInt8(ascii: "["), wanted == nil {
            reader.enterArray(isAlone: true)
            return reader
        }
        guard first == UInt8(ascii: "{") else {
            throw JSONItemReader.Failure(
                reason: """
                    the file must be \(wanted == nil ? "an array, JSON Lines or " : "")an object, \
                    but it begins with \(JSONParser.name(of: first))
                    """, line: reader.line)
        }
        guard (try? file.offset()) != nil else {
            // What cannot be read twice, as a pipe.
            if wanted == nil { return reader }
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                “\(name)” cannot be read twice, as finding an array in an object takes. Save it as a \
                file and import that.
                """)
        }
        let outline = try JSONOutline(
            file, chunkSize: settings.chunkSize, offset: reader.offset, line: reader.line)
        let arrays = outline.arrays.filter { wanted == nil || $0.name == wanted }
        if wanted != nil, let rest = outline.rest {
            throw JSONItemReader.Failure(
                reason: """
                    nothing may follow behind the object, but here is \(JSONParser.name(of: rest.byte))
                    """, line: rest.line)
        }
        if wanted == nil, outline.rest != nil || arrays.isEmpty {
            try file.seek(toOffset: 0)
            return try JSONItemReader(file, chunkSize: settings.chunkSize)
        }
        guard let array = arrays.first, arrays.count == 1 else {
            throw DataStoreError(
                .invalidInput, in: "import", choice(of: outline.arrays, wanted, in: name))
        }
        try file.seek(toOffset: UInt64(array.offset))
        reader = try JSONItemReader(
            file, chunkSize: settings.chunkSize, offset: array.offset, line: array.line)
        reader.enterArray(isAlone: false)
        return reader
    }

    private static func choice(
        of arrays: [JSONOutline.Member], _ wanted: String?, in fileName: String
    ) -> String {
        let names = arrays.map { "“\($0.name)”" }.joined(separator: ", ")
        let known = arrays.isEmpty ? "It has no arrays." : "Its arrays are \(names)."
        return wanted.map { "“\(fileName)” has no array “\($0)”, or several. \(known)" }
            ?? "“\(fileName)” is an object with several arrays. Say which to import (--at): \(names)."
    }
}
