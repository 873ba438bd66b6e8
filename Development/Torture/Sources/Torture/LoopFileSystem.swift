import Foundation

/// A file system in a file, mounted through a loop device, whose power can be cut.
struct LoopFileSystem {
    let mountPoint: String
    private let device: String
    private let kind: String

    /// Whether the system has loop devices at all.
    static let isOffered: Bool = {
        #if os(Linux)
            true
        #else
            false
        #endif
    }()

    /// Why none can be made here; `nil` if one can.
    static let obstacle: String? = {
        do {
            let directory = try Directory(
                in: Driver.Options.defaultDirectory, "justpersist-torture-loop-\(getpid())")
            defer { directory.remove() }
            try LoopFileSystem(kind: "ext4", in: directory).remove()
            return nil
        } catch {
            return "no loop device can be mounted here: \(error)"
        }
    }()

    init(kind: String, in directory: Directory) throws {
        let image = directory.path + "/image"
        mountPoint = directory.path + "/mnt"
        self.kind = kind
        guard FileManager.default.createFile(atPath: image, contents: nil),
            truncate(image, kind == "xfs" ? 320 << 20 : 64 << 20) == 0,
            mkdir(mountPoint, 0o700) == 0
        else { throw TortureError("the image cannot be made: \(errno)") }
        try Self.call(["mkfs." + kind, "-q"] + (kind == "ext4" ? ["-F"] : []) + [image])
        device = try Self.call(["losetup", "--find", "--show", image])
            .trimmingCharacters(in: .whitespacesAndNewlines)
        do { try mountAgain() } catch {
            _ = try? Self.call(["losetup", "-d", device])
            throw error
        }
    }

    /// Shuts the file system down as a power cut does: what is not on the disk will not come there, the log neither.
    func cut() throws {
        let file = open(mountPoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw TortureError("\(mountPoint) cannot be opened: \(errno)") }
        defer { close(file) }
        var withoutLogFlush: UInt32 = 2
        guard ioctl(file, 0x8004_587d, &withoutLogFlush) == 0 else {
            throw TortureError("\(kind) cannot be shut down: \(errno)")
        }
    }

    /// Mounts it, after a cut anew.
    func mountAgain() throws {
        try unmount()
        try Self.call(["mount", "-t", kind, device, mountPoint])
    }

    private func unmount() throws {
        var last = ""
        // A process that was killed may hold it for a moment longer.
        for _ in 0..<500 {
            let result = try Child.run(["umount", mountPoint], keepsErrors: true)
            if result.end == .exit(0) || result.output.contains("not mounted") { return }
            last = result.output
            usleep(10_000)
        }
        throw TortureError(last)
    }

    func remove() {
        try? unmount()
        _ = try? Self.call(["losetup", "-d", device])
    }

    @discardableResult
    private static func call(_ words: [String]) throws -> String {
        let result = try Child.run(words, keepsErrors: true)
        guard result.end == .exit(0) else {
            throw TortureError("\(words.joined(separator: " ")): \(result.output)")
        }
        return result.output
    }
}
