import Foundation

/// The Swift code of one document: its blocks in one file, one below the other, as a reader may copy them.
struct DocumentedCode: Sendable, CustomStringConvertible {
    /// The kind of file that contains the blocks.
    enum Program: String, Sendable {
        /// The file `main.swift`, with code outside of functions.
        case main
        /// A file of a test target, or of a library.
        case file
        /// The file `Package.swift`.
        case manifest

        var fileName: String {
            switch self {
            case .main: "main.swift"
            case .file: "Code.swift"
            case .manifest: "Package.swift"
            }
        }
    }

    /// The document's path in the package.
    let document: String
    let program: Program
    /// The blocks, with source locations for the compiler.
    let text: String

    var description: String { "\(document), \(program)" }

    /// The code of all documents of the package.
    static func all() throws -> [DocumentedCode] {
        try documents().flatMap { document in
            let text = try String(contentsOf: package.appending(path: document), encoding: .utf8)
            var parts: [Program: String] = [:]
            for block in blocks(of: text) {
                let program = program(of: block.text, in: document)
                parts[program, default: ""] += block.text(in: document, of: program)
            }
            return parts.map { DocumentedCode(document: document, program: $0, text: $1) }
        }
        .sorted { $0.description < $1.description }
    }

    private struct Block {
        /// The number of the block's first line.
        let line: Int
        var text = ""

        /// The block in a file, with its source location for the compiler.
        ///
        /// The first line of a manifest is for its own comment.
        func text(in document: String, of program: Program) -> String {
            if program == .manifest { return text }
            return """
                #sourceLocation(file: "\(document)", line: \(line))
                \(text)
                #sourceLocation()

                """
        }
    }

    /// The root of the package.
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The README and the articles.
    private static func documents() throws -> [String] {
        let files = FileManager.default
        var documents = ["README.md"]
        for folder in ["Sources", "Examples"] {
            for name in try files.contentsOfDirectory(atPath: package.appending(path: folder).path)
            {
                let inside = "\(folder)/\(name)"
                for entry in try files.contentsOfDirectory(
                    atPath: package.appending(path: inside).path)
                {
                    if entry.hasSuffix(".md") { documents.append("\(inside)/\(entry)") }
                    guard entry.hasSuffix(".docc") else { continue }
                    let catalog = "\(inside)/\(entry)"
                    documents += try files.contentsOfDirectory(
                        atPath: package.appending(path: catalog).path
                    ).filter { $0.hasSuffix(".md") }.map { "\(catalog)/\($0)" }
                }
            }
        }
        return documents
    }

    /// The blocks marked as Swift.
    private static func blocks(of text: String) -> [Block] {
        var blocks: [Block] = []
        var isInside = false
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if !isInside, line == "```swift" {
                isInside = true
                blocks.append(Block(line: number + 2))
            } else if isInside, line == "```" {
                isInside = false
            } else if isInside {
                blocks[blocks.count - 1].text += line + "\n"
            }
        }
        return blocks
    }

    private static func program(of block: String, in document: String) -> Program {
        if block.contains("import PackageDescription") { return .manifest }
        if document.hasSuffix("ImplementingADataStore.md") || block.contains("@Test") {
            return .file
        }
        return .main
    }
}
