import ArgumentParser
import Foundation
import JustPersist

extension CompletionKind {
    /// The URLs of stores: the schemes, and the directories after a scheme.
    static var stores: CompletionKind {
        .custom { _, _, prefix in
            guard let colon = prefix.firstIndex(of: ":") else {
                return DataStores.schemes.map { $0 + ":" }
            }
            let scheme = prefix[...colon]
            let path = prefix[prefix.index(after: colon)...]
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            guard
                let place = try? StoreDirectory.url(
                    folder.isEmpty ? "." : String(folder), scheme: "lmdb"),
                let names = try? FileManager.default.contentsOfDirectory(
                    at: place, includingPropertiesForKeys: [.isDirectoryKey])
            else { return [] }
            return names.filter(\.hasDirectoryPath).map {
                "\(scheme)\(folder)\($0.lastPathComponent)"
            }
        }
    }

    /// The types in the store that precedes the word.
    static var storedTypes: CompletionKind {
        .custom { words, index, _ in
            guard index > 0, words.indices.contains(index - 1),
                // Only for stores that open quickly and without changes.
                words[index - 1].hasPrefix("lmdb:"),
                let opened = try? OpenStore.reading(words[index - 1])
            else { return [] }
            let types = try? opened.store.read { db in
                let links = try db.linkTypeKeys()
                return try db.schemas().map(\.itemTypeKey).filter { !links.contains($0) }
            }
            return types ?? []
        }
    }
}
