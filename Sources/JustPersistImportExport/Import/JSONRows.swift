import Foundation
import JustPersist

/// The objects of a file, parsed.
struct JSONRows: RowSource {
    private var reader: JSONItemReader

    /// The rows of a file from its beginning.
    ///
    /// - Parameters:
    ///   - format: The format, as in ``ItemImport/format``, but not CSV.
    ///   - isLines: Whether the file's name identifies it as JSON Lines.
    init(_ source: ByteSource, _ format: ItemImport.Format, isLines: Bool, chunkSize: Int) throws {
        do {
            reader = try Self.reader(source, format, isLines: isLines, chunkSize: chunkSize)
        } catch let failure as JSONItemReader.Failure {
            throw RowFailure(reason: failure.reason, line: failure.line, endsReading: true)
        }
    }

    var offset: Int { reader.offset }

    mutating func next() throws -> FileRow? {
        guard let item = try nextItem() else { return nil }
        var parser = JSONParser(reader.buffer, item.range)
        let members: [JSONParser.Member]
        do throws(JSONParser.Failure) {
            members = try parser.object()
        } catch {
            let before = reader.buffer[item.range.lowerBound..<error.offset]
            let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? before.startIndex
            let column = String(decoding: before[lineStart...], as: UTF8.self).count + 1
            let line = item.line + before.count { $0 == 0x0a }
            throw RowFailure(reason: "\(error.reason) (column \(column))", line: line)
        }
        return FileRow(line: item.line, members: members)
    }

    mutating func skip() throws -> Bool { try nextItem() != nil }

    private mutating func nextItem() throws -> JSONItemReader.Item? {
        do {
            return try reader.next()
        } catch let failure as JSONItemReader.Failure {
            throw RowFailure(reason: failure.reason, line: failure.line, endsReading: true)
        }
    }
}

extension JSONRows {
    /// A reader of the items in the format.
    private static func reader(
        _ source: ByteSource, _ format: ItemImport.Format, isLines: Bool, chunkSize: Int
    ) throws -> JSONItemReader {
        let name = source.name
        var reader = try JSONItemReader(source, chunkSize: chunkSize)
        if format == .jsonLines { return reader }
        var wanted: String?
        if case .json(let member) = format { wanted = member }
        guard let first = try reader.nextVisible() else { return reader }
        if format == .automatic, isLines { return reader }
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
        guard source.canRestart else {
            // A source such as a pipe cannot be read twice.
            if format == .automatic { return reader }
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                “\(name)” cannot be read twice, as finding an array in an object takes. Save it as a \
                file and import that.
                """)
        }
        try source.restart(at: reader.offset)
        let outline = try JSONOutline(
            source, chunkSize: chunkSize, offset: reader.offset, line: reader.line)
        let arrays = outline.arrays.filter { wanted == nil || $0.name == wanted }
        if format != .automatic, let rest = outline.rest {
            throw JSONItemReader.Failure(
                reason: """
                    nothing may follow the object, but here is \(JSONParser.name(of: rest.byte))
                    """, line: rest.line)
        }
        if format == .automatic, outline.rest != nil || arrays.isEmpty {
            try source.restart(at: 0)
            return try JSONItemReader(source, chunkSize: chunkSize)
        }
        guard let array = arrays.first, arrays.count == 1 else {
            throw DataStoreError(
                .invalidInput, in: "import", choice(of: outline.arrays, wanted, in: name))
        }
        try source.restart(at: array.offset)
        reader = try JSONItemReader(
            source, chunkSize: chunkSize, offset: array.offset, line: array.line)
        reader.enterArray(isAlone: false)
        return reader
    }

    private static func choice(
        of arrays: [JSONOutline.Member], _ wanted: String?, in fileName: String
    ) -> String {
        let names = arrays.map { "“\($0.name)”" }.joined(separator: ", ")
        let known = arrays.isEmpty ? "It has no arrays." : "Its arrays are \(names)."
        if let wanted { return "“\(fileName)” has no array “\(wanted)”, or several. \(known)" }
        return arrays.isEmpty
            ? "“\(fileName)” is an object without an array in it. Give an array, or JSON Lines."
            : "“\(fileName)” is an object with several arrays. Say which to import (--at): \(names)."
    }
}
