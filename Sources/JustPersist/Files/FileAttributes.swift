public import Foundation

/// The type, owner and identity of a file, read in one call without following a link at the path's end.
package struct FileAttributes {
    package let type: FileAttributeType
    package let permissions: Int
    package let owner: UInt32
    package let identity: FileIdentity

    /// The attributes of the item at `url`; `nil` if and only if it does not exist.
    package init?(ofItemAt url: URL) throws(DataStoreError) {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        } catch {
            let failure = DataStoreError(fileError: error, in: "open", path: url.path)
            if failure.code == .storeNotFound { return nil }
            throw failure
        }
        guard let type = attributes[.type] as? FileAttributeType,
            let device = attributes[.systemNumber] as? NSNumber,
            let file = attributes[.systemFileNumber] as? NSNumber
        else {
            throw DataStoreError(
                .storageFailure, in: "open",
                "The file system does not identify the file “\(url.path)”. Choose another volume.")
        }
        self.type = type
        permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value ?? 0
        identity = FileIdentity(device: device.uint64Value, file: file.uint64Value)
    }
}

/// The identity of a file or directory, independent of the path.
///
/// Use it to distinguish a store from a copy of its files, which contains the same store id.
public struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let file: UInt64

    init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }

    /// The identity of the item at `url`, through links; `nil` if there is none.
    public init?(ofItemAt url: URL) throws(DataStoreError) {
        guard let found = try FileAttributes(ofItemAt: url.resolvingSymlinksInPath()) else {
            return nil
        }
        self = found.identity
    }
}
