import Foundation

/// Checks a site of DocC without a browser.
///
/// Every link must lead to a page and to a heading on it, and every file that a page loads must exist. It also lists the
/// pages that the site's filter does not find, because DocC leaves some out of its index; the filter has to find the words.
///
///     check-site DIRECTORY [BASE-PATH [WORD …]]
@main struct CheckSite {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 2 else {
            print("Usage: check-site DIRECTORY [BASE-PATH [WORD …]]")
            exit(64)
        }
        let site = try Site(
            URL(filePath: arguments[1], directoryHint: .isDirectory),
            base: arguments.count > 2 ? arguments[2] : "")
        let entries = try site.entries()
        for path in site.pagesWithoutEntry(entries.paths) {
            print("\(path): the filter does not find it")
        }
        let missing = arguments.dropFirst(3).filter { word in
            !entries.titles.contains { $0.localizedCaseInsensitiveContains(word) }
        }
        let faults =
            site.faultsOfLinks() + site.faultsOfFiles()
            + missing.map { "the filter finds nothing for “\($0)”" }
        for fault in faults.prefix(100) { print(fault) }
        if faults.count > 100 { print("… and \(faults.count - 100) more") }
        print("\(site.pages.count) pages, \(site.links) links, \(faults.count) faults")
        if !faults.isEmpty || site.pages.isEmpty { exit(1) }
    }
}

/// The pages of a site, by their paths in lower case.
final class Site {
    struct Page {
        /// The links: what the page calls them, and where they lead.
        var links: [(name: String, target: String)] = []
        var anchors: Set<String> = []
        /// Names of links without a target.
        var unresolved: [String] = []
    }

    private let root: URL
    private let base: String
    private(set) var pages: [String: Page] = [:]
    var links: Int { pages.values.reduce(0) { $0 + $1.links.count } }

    init(_ root: URL, base: String) throws {
        self.root = root
        self.base = base
        let data = root.appending(path: "data")
        let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "json" else { continue }
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
            let path = String(
                file.deletingPathExtension().path().dropFirst(data.path().count)
            ).removingPercentEncoding?.lowercased()
            var page = Page()
            Self.read(json, into: &page)
            if let path { pages[path.hasPrefix("/") ? path : "/" + path] = page }
        }
    }

    /// Collects the links and headings of a page's content.
    private static func read(_ json: Any, into page: inout Page) {
        guard let content = json as? [String: Any] else { return }
        let references = content["references"] as? [String: [String: Any]] ?? [:]
        for (name, reference) in references {
            switch reference["type"] as? String {
            // A symbol of the standard library, which the page shows as text.
            case "unresolvable"?: break
            case "image"?, "video"?, "download"?:
                let variants = reference["variants"] as? [[String: Any]] ?? [reference]
                for case let url as String in variants.compactMap({ $0["url"] }) {
                    page.links.append((name, url))
                }
            default:
                if let url = reference["url"] as? String { page.links.append((name, url)) }
            }
        }
        collect(content, references, &page)
    }

    private static func collect(
        _ json: Any, _ references: [String: [String: Any]], _ page: inout Page
    ) {
        if let list = json as? [Any] {
            for part in list { collect(part, references, &page) }
        } else if let content = json as? [String: Any] {
            if content["type"] as? String == "reference",
                let name = content["identifier"] as? String,
                references[name] == nil
            {
                page.unresolved.append(name)
            }
            if let anchor = content["anchor"] as? String {
                page.anchors.insert(anchor.lowercased())
            }
            for (key, part) in content where key != "references" {
                collect(part, references, &page)
            }
        }
    }

    /// Links without a target, to a page or heading that does not exist, or relative to nothing.
    func faultsOfLinks() -> [String] {
        var faults: [String] = []
        for (path, page) in pages.sorted(by: { $0.key < $1.key }) {
            faults += page.unresolved.map { "\(path): “\($0)” leads nowhere" }
            for (name, target) in page.links {
                if let fault = fault(of: target) { faults.append("\(path): “\(name)” \(fault)") }
            }
        }
        return faults
    }

    private func fault(of target: String) -> String? {
        if ["http://", "https://", "mailto:"].contains(where: target.hasPrefix) { return nil }
        let parts = target.split(separator: "#", maxSplits: 1).map(String.init)
        guard let path = parts.first, path.hasPrefix("/") else {
            return "leads to “\(target)”, which is not in the site"
        }
        if !path.hasPrefix("/documentation") {
            return exists(path) ? nil : "leads to the file “\(path)”, which does not exist"
        }
        let key = (path.removingPercentEncoding ?? path).lowercased()
        let trimmed = key.hasSuffix("/") ? String(key.dropLast()) : key
        guard let page = pages[trimmed] else { return "leads to “\(path)”, which is no page" }
        if !exists(trimmed + "/index.html") { return "leads to “\(path)”, which has no HTML" }
        guard parts.count > 1, let anchor = parts[1].removingPercentEncoding else { return nil }
        return page.anchors.contains(anchor.lowercased()) ? nil : "leads to no heading: “\(target)”"
    }

    private func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.path(percentEncoded: false) + path)
    }

    /// Scripts and styles that a page loads, at the base path.
    func faultsOfFiles() -> [String] {
        var faults: [String] = []
        for path in pages.keys.sorted() {
            let file = root.appending(path: path + "/index.html")
            guard let html = try? String(contentsOf: file, encoding: .utf8) else {
                faults.append("\(path): there is no index.html")
                continue
            }
            for match in html.matches(of: /(?:src|href)="([^"]*)"/) {
                let url = String(match.1)
                if url.hasPrefix("http") || url.hasPrefix("data:") || url.hasPrefix("#") {
                    continue
                }
                if !url.hasPrefix(base + "/") || !exists(String(url.dropFirst(base.count))) {
                    faults.append("\(path): loads “\(url)”, which does not exist")
                }
            }
        }
        return faults
    }

    /// The paths and the titles that the site's filter looks through.
    func entries() throws -> (paths: Set<String>, titles: [String]) {
        let file = root.appending(path: "index/index.json")
        let index = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        var paths: Set<String> = []
        var titles: [String] = []
        func walk(_ json: Any) {
            if let list = json as? [Any] {
                for part in list { walk(part) }
            } else if let node = json as? [String: Any] {
                if let path = node["path"] as? String { paths.insert(path.lowercased()) }
                if let title = node["title"] as? String { titles.append(title) }
                for part in node.values { walk(part) }
            }
        }
        walk(index)
        return (paths, titles)
    }

    /// Pages that the site's filter does not find.
    func pagesWithoutEntry(_ found: Set<String>) -> [String] {
        // The list of products has no entry.
        pages.keys.sorted().filter { !found.contains($0) && $0 != "/documentation" }
    }
}
