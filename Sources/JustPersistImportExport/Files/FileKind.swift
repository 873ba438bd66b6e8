import Foundation

/// The kind of a file by its name.
package struct FileKind {
    /// The format before the compression suffix, in lower case: “csv” for `a.csv.gz`.
    let format: String
    let compression: Compression?

    package init(fileName: String) {
        compression = Compression(fileName: fileName)
        let name = fileName as NSString
        let inner = compression == nil ? name : name.deletingPathExtension as NSString
        format = inner.pathExtension.lowercased()
    }

    var isJSONLines: Bool { ["jsonl", "ndjson"].contains(format) }

    package var isCSV: Bool { ["csv", "tsv"].contains(format) }

    /// A tab for files whose name ends in `.tsv`, and else a comma.
    var delimiter: UInt8 { format == "tsv" ? 0x09 : UInt8(ascii: ",") }
}
