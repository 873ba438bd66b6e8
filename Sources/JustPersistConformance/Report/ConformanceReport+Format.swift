public import Foundation

extension ConformanceReport {
    /// The forms in which a report is written.
    public enum Format: String, Sendable, CaseIterable {
        /// A table for a terminal.
        case table
        /// Everything, for programs.
        case json
        /// A table for a web page or a pull request.
        case markdown
        /// The XML that CI servers read.
        case junit

        /// The form that a file's extension asks for: `json`, `md`, `xml`, else a table.
        public init(of file: URL) {
            switch file.pathExtension.lowercased() {
            case "json": self = .json
            case "md", "markdown": self = .markdown
            case "xml": self = .junit
            default: self = .table
            }
        }
    }

    /// The report in a form.
    public func text(as format: Format) -> String {
        switch format {
        case .table: tableText
        case .json: jsonText
        case .markdown: markdownText
        case .junit: junitText
        }
    }

    /// Writes the report to a file, in the form that its extension asks for.
    public func write(to file: URL) throws {
        try Data((text(as: Format(of: file)) + "\n").utf8).write(to: file, options: .atomic)
    }

    private var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Everything in a report can be written as JSON, except a figure that is no number.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? String(decoding: encoder.encode(self), as: UTF8.self)) ?? "{}"
    }
}
