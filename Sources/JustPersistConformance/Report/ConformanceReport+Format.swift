public import Foundation

extension ConformanceReport {
    /// The formats of a report.
    public enum Format: String, Sendable, CaseIterable {
        /// A table for a terminal.
        case table
        /// The complete report, for programs.
        case json
        /// A table for a web page or a pull request.
        case markdown
        /// JUnit XML, for CI servers.
        case junit

        /// The format for a file's extension: `json`, `md` or `xml`, and a table for all others.
        public init(of file: URL) {
            switch file.pathExtension.lowercased() {
            case "json": self = .json
            case "md", "markdown": self = .markdown
            case "xml": self = .junit
            default: self = .table
            }
        }
    }

    /// The report in a format.
    public func text(as format: Format) -> String {
        switch format {
        case .table: tableText
        case .json: jsonText
        case .markdown: markdownText
        case .junit: junitText
        }
    }

    /// Writes the report to a file, in the format for its extension.
    public func write(to file: URL) throws {
        try Data((text(as: Format(of: file)) + "\n").utf8).write(to: file, options: .atomic)
    }

    private var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // All values of a report can be written as JSON, except measurements that are infinite or NaN.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? String(decoding: encoder.encode(self), as: UTF8.self)) ?? "{}"
    }
}
