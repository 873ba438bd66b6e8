import Foundation
import JustPersist

/// When a process that plays a role is to be killed: so long after so many acknowledgements.
struct CrashPoint: Hashable {
    var acknowledgements: Int
    var microseconds: Int

    /// The point as parameters of a role.
    var parameters: [String: String] {
        ["acknowledgements": "\(acknowledgements)", "microseconds": "\(microseconds)"]
    }
}

/// The side of a process that is to be killed: it writes down what it was told is done, and dies on time.
final class CrashScript: Sendable {
    private let file: FileHandle
    private let count = Locked(0)

    /// Starts to count; the process dies at the point that its parameters say.
    init(_ context: ChildContext) throws {
        let place = CrashLog(in: context.directory).file
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

    /// Writes a number down: one that the store has acknowledged.
    ///
    /// The kernel has it when this returns, so it survives the process.
    func acknowledge(_ number: Int) throws {
        try file.write(contentsOf: Data("\(number)\n".utf8))
        count.change { $0 += 1 }
    }

    /// Waits to be killed.
    func waitForDeath() -> Never {
        while true { Thread.sleep(forTimeInterval: 1) }
    }

    /// Ends this process at once, as the kernel ends one.
    static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { Thread.sleep(forTimeInterval: 1) }
    }
}

/// What a process that was killed had written down.
struct CrashLog {
    let file: URL

    /// The log of a check's directory.
    init(in directory: URL) { file = directory.appending(path: "acknowledged") }

    /// The numbers in it; none where there was no time for one.
    var numbers: [Int] {
        get throws {
            guard FileManager.default.fileExists(atPath: file.path) else { return [] }
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .compactMap { Int($0) }
        }
    }
}

extension CheckContext {
    /// The kill points for this profile, at random: early and late, between writes and inside them.
    ///
    /// A commit takes from microseconds to many milliseconds, more on a machine that is busy, so the delays
    /// have several scales, and each has its turn.
    func crashPoints(acknowledgements: ClosedRange<Int>) -> [CrashPoint] {
        var random = generator("kill points")
        let scales = [100_000, 10_000, 1_000, 100]
        return (0..<profile.pick(quick: 5, full: 50, soak: 1_000)).map { index in
            let scale = scales[index % scales.count]
            return CrashPoint(
                acknowledgements: random.int(in: acknowledgements),
                microseconds: random.int(in: scale / 10...scale))
        }
    }

    /// Plays a role until it is killed, and gives what it wrote down.
    func crash(
        _ role: ChildRole, at point: CrashPoint, parameters: [String: String] = [:]
    ) throws -> [Int] {
        let log = CrashLog(in: directory)
        try? FileManager.default.removeItem(at: log.file)
        let ending = try runChild(
            role, parameters: parameters.merging(point.parameters) { own, _ in own })
        try require(
            ending == .signalled(SIGKILL),
            "A process in the role \(role.name) was to be killed, and ended otherwise: \(ending)")
        return try log.numbers
    }

    /// The store of the roles, open.
    func openCrashStore() throws -> any DataStore {
        let store = try makeStore(named: DurabilityRoles.storeName)
        try store.open()
        return store
    }
}
