/// The name of a log: LevelDB's own, or the second name under which it is kept.
struct LogFile {
    private static let keptEnding = ".log.kept"

    let number: UInt64
    let isKept: Bool

    init?(named name: String) {
        let ending = name.drop { $0 != "." }
        guard ending == ".log" || ending == Self.keptEnding, name.utf8.first != UInt8(ascii: "+"),
            let number = Manifest.fileNumber(name.prefix { $0 != "." })
        else { return nil }
        self.number = number
        isKept = ending == Self.keptEnding
    }

    /// LevelDB's name of the log with that number.
    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
    }

    /// The second name of the log with that number: LevelDB ignores such files.
    static func keptName(_ number: UInt64) -> String { name(number) + ".kept" }
}
