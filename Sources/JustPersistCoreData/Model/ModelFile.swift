import Foundation
import JustPersist

/// The models in a file or a directory of the user: of one version or of several.
struct ModelFile {
    /// A version of the model.
    struct Version {
        let name: String
        let model: Model
    }

    /// The versions, the current one first.
    let versions: [Version]

    /// Reads an `.xcdatamodeld`, `.xcdatamodel`, `.momd` or `.mom`.
    init(_ url: URL) throws(DataStoreError) {
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
            let data = try Data(contentsOf: file)
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
            let current = try currentVersion(
                url.appending(path: isCompiled ? "VersionInfo.plist" : ".xccurrentversion"))
            // The latest first, after the current one.
            return try parts.sorted { $0.lastPathComponent > $1.lastPathComponent }
                .sorted { isCurrent($0, current) && !isCurrent($1, current) }
                .flatMap(versions)
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

    /// The version that a property list names as the current one, if there is such a list.
    private static func currentVersion(_ list: URL) throws -> String? {
        guard let data = try? Data(contentsOf: list) else { return nil }
        let names = ["_XCCurrentVersionName", "NSManagedObjectModel_CurrentVersionName"]
        if data.starts(with: Data("bplist".utf8)) {
            let list = try BinaryPropertyList(Array(data))
            guard case .dictionary(let keys, let values) = list.objects[list.top] else {
                return nil
            }
            for (key, value) in zip(keys, values) {
                if case .string(let name) = list.objects[key], names.contains(name),
                    case .string(let version) = list.objects[value]
                {
                    return version
                }
            }
            return nil
        }
        let members = try XMLTree(data).all("dict").first?.children ?? []
        return zip(members, members.dropFirst()).first { names.contains($0.0.text) }?.1.text
    }
}
