import Foundation
import JustPersist

extension ErrorChecks {
    /// Checks of directories that belong to no store, or to a store that is open.
    static let files: [CheckDefinition] = [
        CheckDefinition(
            "err/not-a-store", clause: [17], gate: .requires(.persistent),
            "A directory with other files is refused, and left unchanged."
        ) { check in
            try check.requireFiles()
            try expectRefusal(
                check, of: "papers", "a directory with other files",
                files: ["notes.txt": "some notes", "more/list.csv": "a,b\n1,2\n"])
            // Files with the names of a store's files, and other contents.
            let model = try check.makeStore(named: "model")
            try model.open()
            try model.addNote("a note")
            try model.close()
            let directory = check.directory.appending(path: "model").path
            let files = FileManager.default
            let names = try files.subpathsOfDirectory(atPath: directory).filter { name in
                let kind = try files.attributesOfItem(atPath: "\(directory)/\(name)")[.type]
                return kind as? FileAttributeType == .typeRegular
            }
            if names.isEmpty { return }
            let text = String(repeating: "These are not the bytes of a store.\n", count: 1_000)
            try expectRefusal(
                check, of: "forged", "a directory with text in files that have a store's names",
                files: Dictionary(uniqueKeysWithValues: names.map { ($0, text) }))
        },
        CheckDefinition(
            "err/second-open-same-process", clause: [17], gate: .requires(.persistent),
            "A second store over open files shares them correctly or is refused; the first is not affected."
        ) { check in
            let first = try check.makeStore(named: "store")
            try first.open()
            try first.addNote("of the first")
            var names = [(path: "store", what: "the same path")]
            if check.fixture.keepsFiles {
                names.append(("alias", "a symbolic link"))
                try FileManager.default.createSymbolicLink(
                    at: check.directory.appending(path: "alias"),
                    withDestinationURL: check.directory.appending(path: "store"))
            }
            for (name, what) in names {
                let second = try check.makeStore(named: name)
                let before = try first.notes()
                var isRefused = false
                do { try second.open() } catch let error as DataStoreError {
                    isRefused = true
                    check.expectEqual(
                        error.code, .alreadyOpen,
                        "the error of a second store that is not shared, through \(what)")
                }
                if isRefused {
                    check.expectError(
                        .notSetUp, what: "a read of a second store refused through \(what)"
                    ) { _ = try second.notes() }
                } else {
                    check.expectEqual(
                        try second.notes(), before, "the items of a second store through \(what)")
                    try second.addNote("of a second through \(what)")
                    check.expectEqual(
                        try first.notes(), before + ["of a second through \(what)"],
                        "the items of the first store after the second one wrote through \(what)")
                    try first.addNote("of the first beside \(what)")
                    check.expectEqual(
                        try second.notes().last, "of the first beside \(what)",
                        "the last item in a second store after the first one wrote")
                    try second.close()
                }
                let now = try first.notes()
                try first.addNote("after \(what)")
                check.expectEqual(
                    try first.notes(), now + ["after \(what)"],
                    "the items of the first store after a second one through \(what)")
            }
            let held = try first.notes()
            try first.close()
            for name in names.map(\.path) {
                let next = try check.makeStore(named: name)
                check.expectSuccess("setup through “\(name)” once the first store is closed") {
                    try next.open()
                }
                check.expectEqual(
                    try next.notes(), held, "the items through “\(name)” after all others closed")
                try next.close()
            }
        },
        CheckDefinition(
            "err/second-open-other-process", clause: [17], gate: .counterCheck(.multiProcess),
            "A store that another process has open is refused promptly."
        ) { check in
            if check.capabilities.persistence < .reopening {
                try check.notApplicable("a store that keeps no files has none that processes share")
            }
            let store = try check.makeStore(named: "store")
            try store.open()
            try store.addNote("of the first process")
            let answer = check.directory.appending(path: "outcome")
            func outcomeElsewhere(_ when: String) throws -> String {
                try? FileManager.default.removeItem(at: answer)
                let ending = try check.runChild(secondOpener)
                check.expectEqual(
                    ending, .exited(ConformanceChild.done),
                    "the end of another process that opens the store \(when)")
                return try String(contentsOf: answer, encoding: .utf8)
            }
            check.expectEqual(
                try outcomeElsewhere("while this one holds it"),
                DataStoreError.Code.lockedByAnotherProcess.rawValue + ", promptly",
                "the outcome for another process that opened the store while this one had it open")
            try store.addNote("after the refusal")
            check.expectEqual(
                try store.notes(), ["of the first process", "after the refusal"],
                "the items of a store that another process tried to open")
            try store.close()
            check.expectEqual(
                try outcomeElsewhere("once this one has closed it"),
                "opened: of the first process, after the refusal",
                "the outcome for another process that opened the store once this one had closed it")
        },
        CheckDefinition(
            "err/other-process-shares", clause: [17], gate: .requires(.multiProcess),
            "Two processes that have the store open see each other's commits."
        ) { check in
            let store = try check.makeStore(named: "store")
            try store.open()
            try store.addNote("of the first process")
            var expected = ["of the first process"]
            for round in 1...check.profile.pick(quick: 3, full: 20, soak: 200) {
                let ending = try check.runChild(sharer, parameters: ["note": "shared \(round)"])
                check.expectEqual(
                    ending, .exited(ConformanceChild.done),
                    "the end of another process that opens the store beside this one")
                check.expectEqual(
                    try String(
                        contentsOf: check.directory.appending(path: "outcome"), encoding: .utf8),
                    expected.joined(separator: ", "),
                    "the items that the other process found in round \(round)")
                try store.addNote("beside \(round)")
                expected += ["shared \(round)", "beside \(round)"]
                check.expectEqual(
                    try store.notes(), expected, "the items after a write of the other process")
            }
        },
    ]

    /// Opens the store that the checking process has open, records its items, and adds an item.
    static let sharer = ChildRole("err/sharer") { child in
        let store = try child.makeStore(named: "store")
        try store.open()
        try store.notes().joined(separator: ", ").write(
            to: child.directory.appending(path: "outcome"), atomically: true, encoding: .utf8)
        try store.addNote(child.parameters["note"] ?? "")
        try store.close()
    }

    /// Opens the store that the checking process has open or has closed, and records the outcome.
    static let secondOpener = ChildRole("err/second-opener") { child in
        let outcome: String
        let start = ContinuousClock.now
        do {
            let store = try child.makeStore(named: "store")
            try store.open()
            let notes = try store.notes()
            try store.close()
            outcome = "opened: " + notes.joined(separator: ", ")
        } catch let error as DataStoreError {
            let seconds = start.duration(to: .now) / .seconds(1)
            outcome = error.code.rawValue + (seconds < 10 ? ", promptly" : ", after \(seconds) s")
        }
        try outcome.write(
            to: child.directory.appending(path: "outcome"), atomically: true, encoding: .utf8)
    }

    /// Expects that a directory with these files is refused, that no file is changed, and that none is added.
    private static func expectRefusal(
        _ check: CheckContext, of name: String, _ what: String, files: [String: String],
        line: Int = #line
    ) throws {
        let directory = check.directory.appending(path: name, directoryHint: .isDirectory)
        for (file, text) in files {
            let place = directory.appending(path: file)
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try text.write(to: place, atomically: false, encoding: .utf8)
        }
        func entries() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: directory.path).sorted()
        }
        let before = try entries()
        let store = try check.makeStore(named: name)
        check.expectError(.notAStore, .corrupted, what: "setup of \(what)", line: line) {
            try store.open()
        }
        check.expectError(.notSetUp, what: "a read after the refused setup of \(what)", line: line)
        {
            _ = try store.notes()
        }
        try? store.close()
        check.expectEqual(
            try entries(), before, "the contents of \(what) after the refusal", line: line)
        for (file, text) in files {
            check.expectEqual(
                try? String(contentsOf: directory.appending(path: file), encoding: .utf8), text,
                "the content of “\(file)” in \(what) after the refusal", line: line)
        }
    }
}
