import Foundation
import FoundationXML

/// An element of an XML document.
struct XMLTree {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var children: [XMLTree] = []
    fileprivate(set) var text = ""

    /// The children of a name.
    func all(_ name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// Reads a document.
    init(_ data: Data) throws(Malformed) {
        let reader = Reader()
        let parser = XMLParser(data: data)
        parser.delegate = reader
        let isRead = parser.parse()
        if reader.count > Reader.limit { throw Malformed("it has too many elements") }
        guard isRead, let root = reader.root else {
            throw Malformed("it is no XML (line \(parser.lineNumber))")
        }
        self = root
    }

    fileprivate init(_ name: String, _ attributes: [String: String]) {
        (self.name, self.attributes) = (name, attributes)
    }

    private final class Reader: NSObject, XMLParserDelegate {
        static let limit = 500_000
        var root: XMLTree?
        private(set) var count = 0
        private var open: [XMLTree] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String] = [:]
        ) {
            count += 1
            if open.count == 100 || count > Self.limit { return parser.abortParsing() }
            open.append(XMLTree(name, attributes))
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) {
            if !open.isEmpty { open[open.count - 1].text += text }
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
            qualifiedName: String?
        ) {
            guard let ended = open.popLast() else { return }
            if open.isEmpty {
                root = ended
            } else {
                open[open.count - 1].children.append(ended)
            }
        }
    }
}
