import Foundation
import JustPersist

extension ModelFile {
    /// The version that agrees best with a store, and how it differs from the store.
    ///
    /// The store names the hash of each of its entities, by which Core Data recognizes the version. Only a compiled model of several
    /// versions has hashes, too; others are compared by the names of entities, tables and columns and by the types of columns.
    func closest(
        to source: SourceStore
    ) throws(DataStoreError) -> (version: Version, differences: [String], notes: [String]) {
        let stored = try source.versionHashes()
        let differences = versions.map { version in
            let layout = Layout(version.model, in: source)
            return Self.hashDifferences(version, stored) + layout.otherColumns
                + layout.missing.map { "\($0) is not in the store" }
                + layout.unexplained.map { "\($0) is not in the model" }
        }
        // The first of those that fit equally well is the current version.
        let best = versions.indices.min { differences[$0].count < differences[$1].count } ?? 0
        var notes: [String] = []
        if versions[best].hashes == nil {
            notes.append(
                """
                The version of the model is not confirmed, because it has no hashes: it was compared with the store by the names of \
                entities and columns, and by the types of columns
                """)
            let others = versions.indices.filter { $0 != best && differences[$0].isEmpty }
            if !others.isEmpty {
                notes.append(
                    "Other versions of the model fit, too: \(others.map { versions[$0].name }.listed)"
                )
            }
        }
        return (versions[best], differences[best], notes)
    }

    /// The version with which a store was written.
    ///
    /// - Throws: `.invalidInput` if there is none.
    func version(
        of source: SourceStore, _ notes: inout [CoreDataImport.Note]
    ) throws(DataStoreError) -> Version {
        let (version, differences, remarks) = try closest(to: source)
        guard differences.isEmpty else {
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                “\(name)” is not the model of “\(source.name)”: \(differences.prefix(5).joined(separator: "; ")). Give the version \
                with which the store was written.
                """)
        }
        notes += remarks.map { .init(nil, nil, $0) }
        return version
    }

    private static func hashDifferences(
        _ version: Version, _ stored: [String: Data]
    ) -> [String] {
        guard let hashes = version.hashes else { return [] }
        return stored.keys.sorted()
            .filter { version.model.entities[$0] != nil && hashes[$0] != stored[$0] }
            .map { "the entity “\($0)” is another version of it" }
    }
}
