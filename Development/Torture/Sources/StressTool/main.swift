import Foundation

let usage = """
    usage: StressTool [--seconds N] [--store all|memory|lmdb|leveldb] [--seed N] [--directory PATH]
    """

/// Says how the program is to be started, and leaves.
func leave(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data((message + "\n" + usage + "\n").utf8))
    exit(64)
}

var seconds = 600
var subjects = Subject.allCases
var seed = UInt64.random(in: 1...999_999_999)
var directory = FileManager.default.temporaryDirectory
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    guard let value = words.popFirst() else { leave("\(word) needs a value.") }
    switch word {
    case "--seconds":
        guard let number = Int(value), number > 0 else { leave("“\(value)” is no time.") }
        seconds = number
    case "--store":
        guard value != "all" else { continue }
        guard let subject = Subject(rawValue: value) else { leave("“\(value)” is no store.") }
        subjects = [subject]
    case "--seed":
        guard let number = UInt64(value) else { leave("“\(value)” is no number.") }
        seed = number
    case "--directory": directory = URL(filePath: value, directoryHint: .isDirectory)
    default: leave("“\(word)” is not known.")
    }
}

let place = directory.appending(
    path: "stress-\(ProcessInfo.processInfo.processIdentifier)", directoryHint: .isDirectory)
do {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    Outcome.say("seed \(seed), \(seconds) s, stores in \(place.path)")
    for subject in subjects {
        Stress(
            subject: subject, seconds: max(1, seconds / subjects.count), seed: seed,
            directory: place
        ).run()
    }
    // What failed leaves its store behind.
    try FileManager.default.removeItem(at: place)
} catch {
    Outcome.fail("\(error)")
}
