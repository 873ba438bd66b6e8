import Foundation

/// What a file's name says of its content.
struct FileKind {
    /// The format behind the compression: “csv” for `a.csv.gz`; in small letters.
    let format: String
    let compression: Compression?

    init(fileName: String) {
        compression = Compression(fileName: fileName)
        let name = fileName as NSString
        let inner = compression == nil ? name : name.deletingPathExtension as NSString
        format = inner.pathExtension.lowercased()
    }

    var isJSONLines: Bool { ["jsonl", "ndjson"].contains(format) }

    var isCSV: Bool { ["csv", "tsv"].contains(format) }

    /// Tabs in files that are named so.
    var delimiter: UInt8 { format == "tsv" ? 0x09 : UInt8(ascii: ",") }
}
