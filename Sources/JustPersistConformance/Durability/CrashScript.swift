import Foundation
import JustPersist

/// The moment at which a process is to be killed: a delay after a number of acknowledgements.
struct CrashPoint: Hashable {
    var acknowledgements: Int
    var microseconds: Int

    /// The moment as parameters of a role.
    var parameters: [String: String] {
        ["acknowledgements": "\(acknowledgements)", "microseconds": "\(microseconds)"]
    }
}

/// Runs in a process that is to be killed.
///
/// It records each write that the store has acknowledged, and ends the process at the given moment.
final class CrashScript: Sendable {
    private let file: FileHandle
    private let count = Locked(0)

    /// Starts to count.
    ///
    /// The process ends at the moment that the parameters specify.
    init(_ context: ChildContext) throws {
        let place = CrashLog.file(in: context.directory)
        try Data().write(to: place)
        file = try FileHandle(forWritingTo: place)
        let wanted = try context.number("acknowledgements")
        let seconds = try Double(context.number("microseconds")) / 1_000_000
        let count = count
        let thread = Thread {
            count.wait { $0 >= wanted ? () : nil }
            Thread.sleep(forTimeInterval: seconds)
            Self.die()
        }
        thread.start()
    }

    /// Records that the call begins in which the process is to be killed.
    func begin() throws { try file.write(contentsOf: Data("\(CrashLog.beginning)\n".utf8)) }

    /// Records a number that the store has acknowledged.
    ///
    /// The kernel has the record when this returns, so the record survives the process.
    func acknowledge(_ number: Int) throws {
        try file.write(contentsOf: Data("\(number)\n".utf8))
        count.change { $0 += 1 }
    }

    /// Waits to be killed.
    func waitForDeath() -> Never {
        while true { Thread.sleep(forTimeInterval: 1) }
    }

    /// Kills this process immediately.
    static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { Thread.sleep(forTimeInterval: 1) }
    }
}

/// The records of a process that was killed.
struct CrashLog {
    /// The line that records the beginning of a call.
    static let beginning = "begin"

    /// The numbers that the store had acknowledged.
    let numbers: [Int]
    /// Whether the process was killed inside a call that had begun, and had not returned.
    let isInsideCall: Bool

    /// The file of the log in a check's directory.
    static func file(in directory: URL) -> URL { directory.appending(path: "acknowledged") }

    /// Reads the log in a check's directory.
    ///
    /// It is empty if the process was killed before it wrote a line.
    init(in directory: URL) throws {
        let file = Self.file(in: directory)
        let isThere = FileManager.default.fileExists(atPath: file.path)
        let lines = (isThere ? try String(contentsOf: file, encoding: .utf8) : "")
            .split(separator: "\n")
        numbers = lines.compactMap { Int($0) }
        isInsideCall = lines.last.map { $0 == Self.beginning } ?? false
    }
}

extension CheckContext {
    /// Runs a role repeatedly and kills it at different moments, until as many kills as the profile requires have
    /// occurred inside a call.
    ///
    /// Passes each log to `judge`.
    ///
    /// A commit takes from microseconds to many milliseconds, and more on a busy machine. The delays therefore have
    /// several scales, which are used in turn, and none is longer than a delay that was too long before. If most kills
    /// nevertheless occur outside of a call, the check is unverified, because such kills prove nothing.
    func crashes(
        _ role: ChildRole, acknowledgements: ClosedRange<Int>,
        parameters: (_ round: Int) -> [String: String] = { _ in [:] },
        judge: (CrashPoint, CrashLog) throws -> Void
    ) throws {
        var random = generator("kill points")
        let wanted = profile.pick(quick: 5, full: 50, soak: 1_000)
        let scales = [100_000, 10_000, 1_000, 100]
        var (landed, longest, round) = (0, scales[0], 0)
        while landed < wanted, round < 4 * wanted {
            let scale = min(scales[round % scales.count], longest)
            let point = CrashPoint(
                acknowledgements: random.int(in: acknowledgements),
                microseconds: random.int(in: scale / 10...scale))
            let log = try crash(role, at: point, parameters: parameters(round))
            if log.isInsideCall { landed += 1 } else { longest = max(20, point.microseconds) }
            try judge(point, log)
            round += 1
        }
        if 2 * landed < wanted {
            try unverified(
                """
                only \(landed) of \(round) kills landed inside the call that they were aimed at; \
                \(wanted) were wanted
                """)
        }
    }

    /// Runs a role until it is killed, and returns its log.
    private func crash(
        _ role: ChildRole, at point: CrashPoint, parameters: [String: String]
    ) throws -> CrashLog {
        try? FileManager.default.removeItem(at: CrashLog.file(in: directory))
        let ending = try runChild(
            role, parameters: parameters.merging(point.parameters) { own, _ in own })
        try require(
            ending == .signalled(SIGKILL),
            "A process in the role \(role.name) was to be killed, and ended otherwise: \(ending)")
        return try CrashLog(in: directory)
    }

    /// The store of the roles, open.
    func openCrashStore() throws -> any DataStore {
        let store = try makeStore(named: DurabilityRoles.storeName)
        try store.open()
        return store
    }
}
