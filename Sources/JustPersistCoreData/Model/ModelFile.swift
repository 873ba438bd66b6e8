import Foundation
import JustPersist

/// The models in a file or a directory of the user: of one version or of several.
struct ModelFile {
    /// A version of the model.
    struct Version {
        let name: String
        let model: Model
        /// The hashes of its entities, which a compiled model of several versions has; `nil` for others.
        var hashes: [String: Data]?
    }

    /// The name for errors.
    let name: String
    /// The versions, the current one first.
    let versions: [Version]

    private static let mostBytes = 64 << 20

    /// Reads an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    init(_ url: URL) throws(DataStoreError) {
        name = url.lastPathComponent
        do {
            versions = try Self.versions(url)
        } catch let error as Malformed {
            throw DataStoreError(
                .invalidInput, in: "import",
                "The model “\(url.lastPathComponent)” cannot be read: \(error.reason). Give another one."
            )
        } catch {
            throw DataStoreError(
                fileError: error, in: "import", path: url.path(percentEncoded: false))
        }
        if versions.isEmpty {
            throw DataStoreError(
                .invalidInput, in: "import",
                """
                “\(url.lastPathComponent)” is no model. Give an .xcdatamodeld, an .xcdatamodel, a .momd or a .mom.
                """)
        }
    }

    private static func versions(_ url: URL) throws -> [Version] {
        func version(_ file: URL, _ name: URL) throws -> Version {
            let data = try Data(contentsOf: file, atMost: mostBytes)
            let model =
                try file.pathExtension == "mom" ? Model(archive: Array(data)) : Model(xml: data)
            return Version(name: name.deletingPathExtension().lastPathComponent, model: model)
        }
        switch url.pathExtension {
        case "xcdatamodel": return [try version(url.appending(path: "contents"), url)]
        case "xcdatamodeld", "momd":
            let isCompiled = url.pathExtension == "momd"
            let parts = try FileManager.default.contentsOfDirectory(
                at: url, includingPropertiesForKeys: nil
            ).filter { $0.pathExtension == (isCompiled ? "mom" : "xcdatamodel") }
            let list = url.appending(path: isCompiled ? "VersionInfo.plist" : ".xccurrentversion")
            let isDescribed = FileManager.default.fileExists(
                atPath: list.path(percentEncoded: false))
            let info =
                isDescribed
                ? try PropertyListTree(try Data(contentsOf: list, atMost: mostBytes)) : nil
            let current =
                info?["_XCCurrentVersionName"]?.text
                ?? info?["NSManagedObjectModel_CurrentVersionName"]?.text
            let hashes = info?["NSManagedObjectModel_VersionHashes"]?.members ?? [:]
            // The latest first, after the current one.
            return try parts.sorted { $0.lastPathComponent > $1.lastPathComponent }
                .sorted { isCurrent($0, current) && !isCurrent($1, current) }
                .flatMap(versions).map { version in
                    var version = version
                    version.hashes = hashes[version.name]?.members?.compactMapValues(\.data)
                    return version
                }
        case "mom": return [try version(url, url)]
        default:
            if FileManager.default.fileExists(atPath: url.appending(path: "contents").path) {
                return [try version(url.appending(path: "contents"), url)]
            }
            return url.lastPathComponent == "contents" || url.pathExtension == "xml"
                ? [try version(url, url)] : []
        }
    }

    private static func isCurrent(_ url: URL, _ name: String?) -> Bool {
        name.map { $0 == url.lastPathComponent || "\($0).mom" == url.lastPathComponent } ?? false
    }
}
