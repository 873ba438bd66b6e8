import Foundation
import JustPersist
import Workload

/// Fills the disk, or the files that may not grow, and frees it again; the store stays open all the while.
struct Filler {
    private let arguments: Arguments
    private let workload: Workload
    private let acknowledgements: AcknowledgementFile
    private var random: SeededGenerator
    private var next = 0

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        workload = try arguments.workload
        acknowledgements = try AcknowledgementFile(try arguments.text("acks"))
        random = SeededGenerator(seed: workload.seed, try arguments.number("session", or: 0))
    }

    mutating func run() throws {
        let store = try arguments.store
        try store.open()
        for _ in 0..<6 { try write(to: store, "before the disk was full") }
        for cycle in 0..<(try arguments.number("cycles", or: 1)) {
            try fill()
            try writeUntilRefused(store, cycle)
            // What was committed can still be read, full as the disk is.
            try examine(store, "full, cycle \(cycle)")
            try free()
            try write(to: store, "once there was room again, cycle \(cycle)")
            try write(to: store, "a second time, cycle \(cycle)")
            try examine(store, "freed, cycle \(cycle)")
        }
        try store.close()
    }

    private mutating func write(to store: any DataStore, _ when: String) throws {
        let number = next
        next += 1
        acknowledgements[number] = .begun
        do {
            try workload.write(number, to: store)
            acknowledgements[number] = .acknowledged
        } catch {
            acknowledgements[number] = .refused
            Probe.fail(.gaveUp, "block \(number), \(when): \(error)")
        }
    }

    private mutating func writeUntilRefused(_ store: any DataStore, _ cycle: Int) throws {
        var refusals = 0
        for attempt in 0..<400 where refusals < 3 {
            // LevelDB makes room when it has merged its tables.
            if refusals == 0, attempt % 40 == 39 { try fill() }
            let number = next
            next += 1
            acknowledgements[number] = .begun
            do {
                try workload.write(number, to: store)
                acknowledgements[number] = .acknowledged
            } catch {
                acknowledgements[number] = .refused
                refusals += 1
                guard let error = error as? DataStoreError, error.code == .storageFull || limited
                else {
                    Probe.fail(.wrongAnswer, "a full disk is told as \(error), cycle \(cycle)")
                }
            }
        }
        guard refusals > 0 else { Probe.fail(.misused, "the disk was never full, cycle \(cycle)") }
    }

    private func examine(_ store: any DataStore, _ when: String) throws {
        var examination = Examination(
            workload, expecting: acknowledgements.blocks(.acknowledged))
        examination.examine(store)
        guard examination.verdict.isSound else {
            Probe.fail(.wrongAnswer, "\(when): \(examination.verdict.summary)")
        }
    }

    private var limited: Bool { (try? arguments.flag("limit")) ?? false }

    /// Leaves little room: a ballast that takes the rest, or a limit on the size of files a little above the largest.
    private mutating func fill() throws {
        let room = random.pick([0, 4096, 20_000, 70_000, 200_000])
        guard !limited else { return limitFiles(to: rlim_t(try sizeOfGrowingFile() + room / 5)) }
        let path = try arguments.text("ballast")
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Arguments.Failure("the ballast cannot be made: \(errno)") }
        defer { close(file) }
        let piece = [UInt8](repeating: 1, count: 1 << 16)
        while Foundation.write(file, piece, piece.count) > 0 {}
        guard room > 0 else { return }
        let size = lseek(file, 0, SEEK_END)
        guard ftruncate(file, max(0, size - off_t(room))) == 0 else {
            throw Arguments.Failure("the ballast cannot shrink: \(errno)")
        }
    }

    private func free() throws {
        guard !limited else { return limitFiles(to: .max) }
        guard unlink(try arguments.text("ballast")) == 0 else {
            throw Arguments.Failure("the ballast cannot be removed: \(errno)")
        }
    }

    /// The size beyond which files may grow no more: LMDB has one that grows, LevelDB ever new ones.
    private func sizeOfGrowingFile() throws -> Int {
        let store = try arguments.text("store")
        let path = String(
            store[store.index(after: store.firstIndex(of: ":") ?? store.startIndex)...])
        let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/data.mdb")
        return attributes?[.size] as? Int ?? 0
    }

    /// No file may grow beyond so many bytes; the limit may be raised again.
    private func limitFiles(to bytes: rlim_t) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: .max)
        #if os(Linux)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
            setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }
}
