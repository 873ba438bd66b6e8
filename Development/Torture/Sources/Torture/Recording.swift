import Foundation
import Workload

/// What processes did to a store, step by step, and to which blocks they gave a fate meanwhile.
struct Recording: Sendable {
    /// What was on the disk before.
    var start = Image()
    /// The fates of the blocks before.
    var fates: [Int: AcknowledgementFile.Fate] = [:]
    var steps: [Step] = []

    /// The file that LMDB writes to through memory, which no tracer sees; it makes it anew after a power cut.
    static let mapped = "lock.mdb"

    /// The files after so many steps, with what of them is on the disk.
    func disk(after count: Int, _ rules: Disk.Rules) -> Disk {
        var disk = Disk(rules: rules, start)
        for number in 0..<count { disk.apply(steps[number], number: number) }
        return disk
    }

    /// The fates that blocks had before a step.
    func fates(before count: Int) -> [Int: AcknowledgementFile.Fate] {
        var fates = fates
        for case .note(let block, let fate) in steps[..<count] { fates[block] = fate }
        return fates
    }

    /// The positions at which something is not on the disk.
    func unsettledPositions(_ rules: Disk.Rules) -> [Int] {
        var disk = Disk(rules: rules, start)
        return steps.indices.filter { number in
            disk.apply(steps[number], number: number)
            return disk.isUnsettled(except: Self.mapped)
        }.map { $0 + 1 }
    }

    /// Runs a probe that goes on with a store, and adds what it does.
    ///
    /// The files must be those that all steps leave. What is recorded is compared with what is there in the end, so that no
    /// system call is missed.
    mutating func record(_ command: [String], in directory: Directory) throws {
        let log = directory.path + "/strace"
        let result = try Child.run(SystemCallLog.command(command, log: log))
        guard result.end == .exit(0) else {
            throw TortureError("the recorded process ended with \(result.end): \(result.output)")
        }
        add(SystemCallLog(try Data(contentsOf: URL(filePath: log))), in: directory)
        unlink(log)
        let seen = try Image(of: directory)
        let known = disk(after: steps.count, Disk.Rules()).current
        for path in Set(seen.entries.keys).union(known.entries.keys)
        where !path.hasSuffix(Self.mapped) && seen.entries[path] != known.entries[path] {
            throw TortureError("the steps that were recorded leave another \(path) than there is")
        }
    }

    private mutating func add(_ log: SystemCallLog, in directory: Directory) {
        var translation = Translation(
            root: directory.path, acknowledgements: directory.acknowledgements)
        for event in log.events {
            switch event {
            case .begin(let number):
                translation.begin(log.calls[number], number, &steps)
            case .end(let number):
                translation.end(log.calls[number], number, &steps)
            }
        }
    }
}

/// Makes steps of system calls.
private struct Translation {
    let root: String
    let acknowledgements: String
    /// By descriptor, where the next `write` goes.
    private var positions: [Int: Int] = [:]
    /// The descriptors with `O_DSYNC` or `O_SYNC`.
    private var syncing: Set<Int> = []
    /// By call, how many steps there were when it began.
    private var counts: [Int: Int] = [:]

    init(root: String, acknowledgements: String) {
        self.root = root
        self.acknowledgements = acknowledgements
    }

    /// A write may reach the disk from its beginning on, and a sync covers what was done until then.
    mutating func begin(_ call: SystemCallLog.Call, _ number: Int, _ steps: inout [Step]) {
        counts[number] = steps.count
        guard ["write", "pwrite64", "writev", "pwritev"].contains(call.name),
            let count = call.result, count > 0, let file = call.paths.first
        else { return }
        let descriptor = Int(call.arguments[0]) ?? -1
        let isPlaced = call.name.hasPrefix("pw")
        let offset = isPlaced ? Int(call.arguments.last ?? "") ?? 0 : positions[descriptor] ?? 0
        if !isPlaced { positions[descriptor] = offset + count }
        let bytes = Array(call.strings.joined().prefix(count))
        if file == acknowledgements {
            steps.append(
                .note(block: offset, AcknowledgementFile.Fate(rawValue: bytes[0]) ?? .begun))
        } else if let path = path(file) {
            steps.append(.write(path, at: offset, bytes))
        }
    }

    mutating func end(_ call: SystemCallLog.Call, _ number: Int, _ steps: inout [Step]) {
        guard let result = call.result, result >= 0, let count = counts[number] else { return }
        let descriptor = Int(call.arguments[0]) ?? -1
        let own = call.paths.first.flatMap(path)
        let named = call.strings.enumerated().compactMap { place, name -> String? in
            let name = String(decoding: name, as: UTF8.self)
            if name.hasPrefix("/") { return path(name) }
            return call.paths.indices.contains(place) ? path(call.paths[place] + "/" + name) : nil
        }
        switch call.name {
        case "open", "openat":
            let flags = call.arguments.first { $0.contains("O_") }?.split(separator: "|") ?? []
            positions[result] = 0
            syncing.remove(result)
            if flags.contains("O_DSYNC") || flags.contains("O_SYNC") { syncing.insert(result) }
            guard let path = named.first else { return }
            if flags.contains("O_CREAT") { steps.append(.makeFile(path)) }
            if flags.contains("O_TRUNC") { steps.append(.resize(path, 0)) }
        case "lseek": positions[descriptor] = result
        case "write", "pwrite64", "writev", "pwritev":
            guard syncing.contains(descriptor), let own else { return }
            steps.append(.syncWrite(own, step: count))
        case "fsync", "fdatasync":
            if let own { steps.append(.sync(own, before: count)) }
        case "ftruncate":
            if let own { steps.append(.resize(own, Int(call.arguments[1]) ?? 0)) }
        case "fallocate":
            guard let own, call.arguments[1] == "0" else { return }
            steps.append(
                .extend(own, (Int(call.arguments[2]) ?? 0) + (Int(call.arguments[3]) ?? 0)))
        case "mkdir", "mkdirat":
            if let path = named.first { steps.append(.makeDirectory(path)) }
        case "unlink", "unlinkat", "rmdir":
            if let path = named.first { steps.append(.remove(path)) }
        case "link", "linkat":
            if named.count == 2 { steps.append(.link(named[0], to: named[1])) }
        case "rename", "renameat", "renameat2":
            if named.count == 2 { steps.append(.rename(named[0], to: named[1])) }
        default: break
        }
    }

    /// A path from the root, if it is that of the store or of something in it, or the root itself.
    private func path(_ path: String) -> String? {
        if path == root { return "" }
        guard path == root + "/store" || path.hasPrefix(root + "/store/") else { return nil }
        return String(path.dropFirst(root.count + 1))
    }
}

extension Image {
    /// The store in a directory, with its files.
    init(of directory: Directory) throws {
        let files = FileManager.default
        guard files.fileExists(atPath: directory.store) else { return }
        entries["store"] = .some(nil)
        for name in try files.subpathsOfDirectory(atPath: directory.store) {
            var isDirectory = ObjCBool(false)
            let path = directory.store + "/" + name
            guard files.fileExists(atPath: path, isDirectory: &isDirectory) else { continue }
            entries["store/" + name] = .some(
                isDirectory.boolValue ? nil : [UInt8](try Data(contentsOf: URL(filePath: path))))
        }
    }

    /// Makes the files in a directory.
    func write(to directory: Directory) throws {
        for (path, contents) in entries.sorted(by: { $0.key < $1.key }) {
            let place = directory.path + "/" + path
            guard let contents else {
                _ = try Directory(in: directory.path, path)
                continue
            }
            guard
                FileManager.default.createFile(
                    atPath: place, contents: Data(contents),
                    attributes: [.posixPermissions: 0o600])
            else { throw TortureError("\(place) cannot be made") }
        }
    }
}
