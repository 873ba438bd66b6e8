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
        guard data.count <= 64 << 20, parser.parse(), let root = reader.root else {
            throw Malformed("it is no XML (line \(parser.lineNumber))")
        }
        self = root
    }

    fileprivate init(_ name: String, _ attributes: [String: String]) {
        (self.name, self.attributes) = (name, attributes)
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var root: XMLTree?
        private var open: [XMLTree] = []

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String] = [:]
        ) {
            if open.count == 100 { return parser.abortParsing() }
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
