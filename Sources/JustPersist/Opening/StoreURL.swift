import Foundation

/// The parts of a store's URL: `scheme:location?name=value&name=value`.
package struct StoreURL {
    /// The name of the backend.
    package let scheme: String
    /// The part between the scheme and the first question mark, as it is written.
    package let location: String
    /// The options, in their order, with the values decoded.
    package var options: [StoreURLOption] = []

    /// Parses a text, without checking that the backend and the options exist.
    package init(_ text: String) throws(DataStoreError) {
        guard let colon = text.firstIndex(of: ":"), colon > text.startIndex else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                "“\(text)” names no backend. Write SCHEME:PATH; known here: \(DataStores.knownSchemes)."
            )
        }
        scheme = String(text[..<colon])
        let rest = text[text.index(after: colon)...]
        guard let mark = rest.firstIndex(of: "?") else {
            location = String(rest)
            return
        }
        location = String(rest[..<mark])
        let words = rest[rest.index(after: mark)...]
        // Messages show options, and must not show a part of a password.
        if location.hasPrefix("//"), location.dropFirst(2).contains(":"), !location.contains("@"),
            words.contains("@")
        {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                The URL of the store has a “?” before its “@”. Write “%3F” for a “?” in the name of a user, and leave a \
                password out.
                """)
        }
        for word in words.split(separator: "&", omittingEmptySubsequences: false) {
            options.append(try StoreURLOption(word))
        }
    }

    /// A URL from parts that another source, such as configuration, provides.
    package init(scheme: String, location: String, options: [StoreURLOption] = []) {
        self.scheme = scheme
        self.location = location
        self.options = options
    }
}

/// An option before its backend has parsed it.
package struct StoreURLOption: Sendable {
    /// Its name.
    package let name: String
    /// Its value, decoded.
    package let value: String

    /// An option from a source other than a URL.
    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    fileprivate init(_ word: Substring) throws(DataStoreError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let value = parts[1].removingPercentEncoding
        else {
            throw DataStoreError(
                .invalidStoreURL, in: "open",
                """
                “\(word)” after the “?” of a store's URL is not an option. Write NAME=VALUE, with “&” between options and \
                “%25” for a “%”. \(Self.adviceForPaths)
                """)
        }
        name = String(parts[0])
        self.value = value
    }

    /// The advice for a question mark that belongs to the path.
    package static let adviceForPaths =
        "If the “?” belongs to the path, write the path as in lmdb:///var/lib/what%3F."
}
