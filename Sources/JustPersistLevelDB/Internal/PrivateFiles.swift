import CLevelDB
import Foundation
import JustPersist

/// Keeps a store's files readable by their owner alone; LevelDB creates them readable by everyone.
enum PrivateFiles {
    /// Makes the files that LevelDB will create in the directory private from the start, if the file system supports
    /// it.
    static func inherit(in directory: URL) {
        #if os(Linux)
            // A default access list replaces a umask, because LevelDB's own thread creates files, too.
            // Version 2, then tag, permissions and id of the user, the group, and all others.
            let entries: [(tag: UInt16, permissions: UInt16)] = [(0x01, 7), (0x04, 0), (0x20, 0)]
            var list: [UInt8] = [2, 0, 0, 0]
            for entry in entries {
                list += [UInt8(entry.tag), 0, UInt8(entry.permissions), 0, 0xFF, 0xFF, 0xFF, 0xFF]
            }
            _ = unsafe setxattr(directory.path, "system.posix_acl_default", list, list.count, 0)
        #endif
    }

    /// Removes the rights of others from the files in the directory.
    ///
    /// Failures are ignored, because the directory itself keeps others out.
    static func restrict(in directory: URL) {
        let files = FileManager.default
        for name in (try? DirectoryListing.names(in: directory)) ?? [] {
            let path = directory.appending(path: name).path
            guard let attributes = try? files.attributesOfItem(atPath: path),
                attributes[.type] as? FileAttributeType == .typeRegular,
                let permissions = attributes[.posixPermissions] as? NSNumber,
                permissions.intValue & 0o077 != 0
            else { continue }
            try? files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
    }
}
