/// The name of a log: LevelDB's own, or the one under which a log is kept beside it.
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

    /// The name that LevelDB gives the log of that number.
    static func name(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + ".log"
    }

    /// The name under which the log of that number is kept: LevelDB leaves such files alone.
    static func keptName(_ number: UInt64) -> String { name(number) + ".kept" }
}
