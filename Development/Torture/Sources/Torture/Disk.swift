import Workload

/// One step of what a process did to the files below a directory, with paths from there.
enum Step {
    case makeDirectory(String)
    /// Opened with `O_CREAT`: made if it is not there.
    case makeFile(String)
    case link(String, to: String)
    case rename(String, to: String)
    case remove(String)
    case write(String, at: Int, [UInt8])
    case resize(String, Int)
    /// Made so long, if it is shorter.
    case extend(String, Int)
    /// Synced: what was done to it before a step is on the disk.
    case sync(String, before: Int)
    /// Written through a descriptor with `O_DSYNC`: that step is on the disk, and no other.
    case syncWrite(String, step: Int)
    /// A block got a fate; that is no change of a file.
    case note(block: Int, AcknowledgementFile.Fate)
}

/// Files and directories as processes see them, and what of them is on the disk.
///
/// A change is on the disk once it was synced. Until then a power cut leaves any part of it, whatever it leaves of others:
/// of a write any sectors, of two that overlap either, of names any changes.
struct Disk {
    /// What is promised beyond that.
    struct Rules {
        /// Whether a sync has any effect.
        var heedsSyncs = true
        /// Whether syncing a new file also syncs the name under which it was made.
        var syncsNewNames = false
        /// Whether a change of names is on the disk only if all before it are, but for new names of synced files; and a file
        /// grows there, unless it is synced, only if all changes of names before it are.
        var ordersNames = false
    }

    enum Node: Equatable {
        case directory
        case file(Int)
    }

    private struct Change {
        enum Kind {
            case bytes(at: Int, [UInt8])
            case length(Int)
            case atLeast(Int)
        }
        let step: Int
        let kind: Kind
        var isOnDisk = false
    }

    private struct File {
        /// What is on the disk of the changes that are no longer listed.
        var base: [UInt8] = []
        var changes: [Change] = []
    }

    /// A change of names, as a whole or not at all.
    private struct NameChange {
        let step: Int
        var removed: String?
        var added: (path: String, node: Node)?
        var isOnDisk = false

        func isIn(_ directory: String) -> Bool {
            [removed, added?.path].contains { $0.map(parent) == directory }
        }

        func apply(to names: inout [String: Node]) {
            if let removed { names[removed] = nil }
            if let added { names[added.path] = added.node }
        }
    }

    let rules: Rules
    private var files: [File] = []
    private var baseNames: [String: Node] = [:]
    private var nameChanges: [NameChange] = []
    /// The names as processes see them.
    private(set) var names: [String: Node] = [:]

    init(rules: Rules, _ image: Image = Image()) {
        self.rules = rules
        for (path, contents) in image.entries.sorted(by: { $0.key < $1.key }) {
            baseNames[path] = contents.map { _ in .file(files.count) } ?? .directory
            if let contents { files.append(File(base: contents)) }
        }
        names = baseNames
    }

    /// Whether something is not on the disk, but for files of no consequence.
    func isUnsettled(except path: String) -> Bool {
        if nameChanges.contains(where: { !$0.isOnDisk }) { return true }
        return names.contains { name, node in
            guard case .file(let number) = node, !name.hasSuffix(path) else { return false }
            return files[number].changes.contains { !$0.isOnDisk }
        }
    }

    // MARK: Steps

    /// Carries a step out, which has a number.
    mutating func apply(_ step: Step, number: Int) {
        switch step {
        case .makeDirectory(let path): change(number, adding: path, .directory)
        case .makeFile(let path):
            guard names[path] == nil else { return }
            files.append(File())
            change(number, adding: path, .file(files.count - 1))
        case .link(let path, let target):
            change(number, adding: target, names[path])
        case .rename(let path, let target):
            change(number, removing: path, adding: target, names[path])
        case .remove(let path): change(number, removing: path)
        case .write(let path, let offset, let bytes):
            change(number, path, .bytes(at: offset, bytes))
        case .resize(let path, let length): change(number, path, .length(length))
        case .extend(let path, let length): change(number, path, .atLeast(length))
        case .sync(let path, let end): sync(path) { $0 < end }
        case .syncWrite(let path, let written): sync(path) { $0 == written }
        case .note: break
        }
    }

    private mutating func change(
        _ step: Int, removing removed: String? = nil, adding path: String? = nil,
        _ node: Node? = nil
    ) {
        var change = NameChange(step: step, removed: removed)
        if let path, let node { change.added = (path, node) }
        change.apply(to: &names)
        nameChanges.append(change)
    }

    private mutating func change(_ step: Int, _ path: String, _ kind: Change.Kind) {
        guard case .file(let number) = names[path] else { return }
        files[number].changes.append(Change(step: step, kind: kind))
    }

    private mutating func sync(_ path: String, _ isMeant: (_ step: Int) -> Bool) {
        guard rules.heedsSyncs else { return }
        let node = path.isEmpty ? .directory : names[path]
        for place in nameChanges.indices where isMeant(nameChanges[place].step) {
            let change = nameChanges[place]
            let isNewName =
                change.removed == nil && change.added?.node == node && rules.syncsNewNames
            guard node == .directory ? change.isIn(path) : isNewName else { continue }
            nameChanges[place].isOnDisk = true
        }
        while let change = nameChanges.first, change.isOnDisk {
            change.apply(to: &baseNames)
            nameChanges.removeFirst()
        }
        guard case .file(let number) = node else { return }
        for place in files[number].changes.indices
        where isMeant(files[number].changes[place].step) {
            files[number].changes[place].isOnDisk = true
        }
        let settled = files[number].changes.prefix { $0.isOnDisk }
        for change in settled { Self.apply(change.kind, to: &files[number].base) }
        files[number].changes.removeFirst(settled.count)
    }

    private static func apply(_ kind: Change.Kind, to contents: inout [UInt8]) {
        switch kind {
        case .bytes(let offset, let bytes): write(bytes[...], at: offset, to: &contents)
        case .length(let length):
            if length < contents.count { contents.removeLast(contents.count - length) }
            extend(&contents, to: length)
        case .atLeast(let length): extend(&contents, to: length)
        }
    }

    private static func write(
        _ bytes: ArraySlice<UInt8>, at offset: Int, to contents: inout [UInt8]
    ) {
        extend(&contents, to: offset + bytes.count)
        contents.withUnsafeMutableBytes { memory in
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: $0)
            }
        }
    }

    private static func extend(_ contents: inout [UInt8], to length: Int) {
        guard length > contents.count else { return }
        contents += [UInt8](repeating: 0, count: length - contents.count)
    }

    // MARK: Images

    /// Everything, as the processes see it.
    var current: Image {
        Image(
            entries: names.mapValues { node in
                guard case .file(let number) = node else { return nil }
                var contents = files[number].base
                for change in files[number].changes { Self.apply(change.kind, to: &contents) }
                return contents
            })
    }

    /// What a power cut leaves, and what of the changes that were not synced is in it and what is not.
    ///
    /// - Parameter chances: How many of a hundred changes survive: of each file, and of the names, another one of these.
    func afterPowerCut(
        chances: [Int] = [0, 5, 50, 95, 100], using random: inout SeededGenerator
    ) -> (image: Image, changes: [String]) {
        var changes: [String] = []
        let (survivingNames, firstLost) = namesAfterPowerCut(
            random.pick(chances), using: &random, &changes)
        let growthEnd = rules.ordersNames ? firstLost : .max
        var image = Image()
        // The sizes of sectors, and of pages.
        let unit = random.pick([512, 4096])
        var contents: [Int: [UInt8]] = [:]
        for (path, node) in survivingNames.sorted(by: { $0.key < $1.key }) {
            guard parent(path).isEmpty || image.entries[parent(path)] != nil else { continue }
            guard case .file(let number) = node else {
                image.entries[path] = .some(nil)
                continue
            }
            // A file with two names has one content.
            let found =
                contents[number]
                ?? self.contents(
                    of: number, path, unit, growthEnd, random.pick(chances), using: &random,
                    &changes)
            contents[number] = found
            image.entries[path] = found
        }
        return (image, changes)
    }

    private func namesAfterPowerCut(
        _ chance: Int, using random: inout SeededGenerator, _ changes: inout [String]
    ) -> (names: [String: Node], firstLost: Int) {
        var names = baseNames
        var firstLost = Int.max
        var survives = true
        for change in nameChanges {
            if !change.isOnDisk {
                survives = (survives || !rules.ordersNames) && random.int(in: 0..<100) < chance
                changes.append(
                    "step \(change.step) \(survives ? "kept" : "lost"): "
                        + [change.removed.map { "-" + $0 }, change.added.map { "+" + $0.path }]
                        .compactMap(\.self).joined(separator: " "))
            }
            if change.isOnDisk || survives {
                change.apply(to: &names)
            } else {
                firstLost = min(firstLost, change.step)
            }
        }
        return (names, firstLost)
    }

    private func contents(
        of number: Int, _ path: String, _ unit: Int, _ growthEnd: Int, _ chance: Int,
        using random: inout SeededGenerator,
        _ changes: inout [String]
    ) -> [UInt8] {
        var contents = files[number].base
        // The parts that reach the disk in any order, up to the next change that has its place.
        var parts: [(offset: Int, bytes: ArraySlice<UInt8>)] = []
        var longest = 0
        func settle() {
            for part in parts.shuffled(using: &random) {
                Self.write(part.bytes, at: part.offset, to: &contents)
            }
            parts = []
        }
        for change in files[number].changes {
            if case .bytes(let offset, let bytes) = change.kind, !change.isOnDisk {
                var (start, kept, all) = (0, 0, 0)
                while start < bytes.count {
                    let end = min(bytes.count, start + unit - (offset + start) % unit)
                    let mayBe = change.step < growthEnd || offset + end <= contents.count
                    if random.int(in: 0..<100) < chance, mayBe {
                        parts.append((offset + start, bytes[start..<end]))
                        kept += 1
                    }
                    all += 1
                    start = end
                }
                if change.step < growthEnd { longest = max(longest, offset + bytes.count) }
                changes.append(
                    "step \(change.step) kept \(kept) of \(all) × \(unit) bytes: "
                        + "\(path) from \(offset), \(bytes.count) bytes")
            } else {
                let survives =
                    change.isOnDisk
                    || random.int(in: 0..<100) < chance && change.step < growthEnd
                if !change.isOnDisk {
                    changes.append(
                        "step \(change.step) \(survives ? "kept" : "lost"): length of \(path)")
                }
                guard survives else { continue }
                settle()
                longest = 0
                Self.apply(change.kind, to: &contents)
            }
        }
        settle()
        // The length can reach the disk before the bytes do.
        if longest > contents.count, random.int(in: 0..<4) == 0 {
            changes.append("kept: the length \(longest) of \(path)")
            Self.extend(&contents, to: longest)
        }
        return contents
    }
}

/// Files and directories, with paths from a directory that is not one of them; a directory has no contents.
struct Image: Equatable {
    var entries: [String: [UInt8]?] = [:]
}

/// The directory in which a path's last name is.
private func parent(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
}
