import JustPersist

/// The configuration of a store: values by the names of its keys.
struct ConfiguredStore {
    /// The prefix of all keys, for messages.
    let key: String
    var values: [String: String] = [:]

    private static let placeNames = ["url", "backend", "path"]

    /// The keys that are read: those of the location, and the options of every registered backend.
    static var names: [String] {
        placeNames
            + Set(DataStores.schemes.flatMap { DataStores.options(ofScheme: $0).map(\.name) })
            .subtracting(placeNames).sorted()
    }

    /// The URL that the values form.
    ///
    /// - Throws: `.invalidStoreURL` if they name no store, or two.
    var url: StoreURL {
        get throws(DataStoreError) {
            var url = try place
            url.options += values.keys.sorted().filter { !Self.placeNames.contains($0) }
                .map { StoreURLOption(name: $0, value: values[$0] ?? "") }
            return url
        }
    }

    private var place: StoreURL {
        get throws(DataStoreError) {
            switch (values["url"], values["backend"], values["path"]) {
            case (let url?, nil, nil) where !url.isEmpty: return try StoreURL(url)
            case (nil, let backend?, let path) where !backend.isEmpty:
                return StoreURL(scheme: backend, location: path ?? "")
            case (_?, _?, _), (_?, _, _?):
                throw refusal(
                    "names the store twice, by “\(key).url” and by “\(key).backend” or “\(key).path”. Leave one out."
                )
            case (nil, nil, _?):
                throw refusal(
                    "has “\(key).path”, but no “\(key).backend”. Known here: \(backends).")
            default:
                throw refusal(
                    """
                    names no store. Set “\(key).url” to a URL such as lmdb:/var/lib/app, or “\(key).backend” and \
                    “\(key).path”. Known here: \(backends).
                    """)
            }
        }
    }

    private var backends: String {
        DataStores.schemes.isEmpty ? "no backend" : DataStores.schemes.joined(separator: ", ")
    }

    private func refusal(_ message: String) -> DataStoreError {
        DataStoreError(.invalidStoreURL, in: "open", "The configuration " + message)
    }
}
