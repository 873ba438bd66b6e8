import Foundation
import Testing
import Workload

@testable import Torture

/// The judge is not blind: what is wrong is called wrong.
@Suite struct JudgeTests {
    private func withStore(
        _ engine: Engine, _ body: (ProbeRunner, AcknowledgementFile) throws -> Void
    ) throws {
        let directory = try Directory(
            in: Driver.Options.defaultDirectory, "justpersist-judge-\(UUID().uuidString)")
        defer { directory.remove() }
        let probe = ProbeRunner(subject: Subject(engine: engine, seed: 7), directory: directory)
        let result = try Child.run(probe.work(0..<8, "talk=1"))
        #expect(result.end == .exit(0), "\(result.output)")
        try body(probe, try AcknowledgementFile(directory.acknowledgements))
    }

    @Test(arguments: Engine.allCases)
    func `A sound store is called sound`(_ engine: Engine) throws {
        try withStore(engine) { probe, _ in
            let outcome = try probe.assess(mayKeepRefused: false, further: 8, existing: true)
            #expect(outcome.failure == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A block that was acknowledged and is not there is called lost`(_ engine: Engine) throws {
        try withStore(engine) { probe, file in
            file[8] = .acknowledged
            let outcome = try probe.assess(mayKeepRefused: false, further: 9, existing: true)
            #expect(outcome.failure?.contains("acknowledged and lost: blocks [8]") == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A block that was refused and is there is allowed only where it may be kept`(
        _ engine: Engine
    ) throws {
        try withStore(engine) { probe, file in
            file[7] = .refused
            let strict = try probe.assess(mayKeepRefused: false, further: 8, existing: true)
            #expect(strict.failure?.contains("refused, and there all the same: blocks [7]") == true)
            file[8] = .begun
            let lenient = try probe.assess(mayKeepRefused: true, further: 9, existing: true)
            #expect(lenient.failure == nil && lenient.tallies["refused, kept"] == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Other values than those of the seed are called wrong`(_ engine: Engine) throws {
        try withStore(engine) { probe, _ in
            let other = ProbeRunner(
                subject: Subject(engine: engine, seed: 8), directory: probe.directory)
            let (verdict, _) = try other.verdict("existing=1")
            #expect(verdict?.isRight == false)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Values from before a change are called older, not wrong`(_ engine: Engine) throws {
        try withStore(engine) { probe, _ in
            // The blocks behind those that were written would have changed items, and made and deleted others.
            let (verdict, _) = try probe.verdict("all=1", "to=30", "existing=1")
            #expect(verdict?.olderValues.isEmpty == false)
            #expect(verdict?.wrongValues == [])
            #expect(verdict?.isRight == false)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Missing blocks are called missing rows`(_ engine: Engine) throws {
        try withStore(engine) { probe, _ in
            let (verdict, _) = try probe.verdict("all=1", "to=9", "existing=1")
            #expect(verdict?.wrongRows.isEmpty == false)
            #expect(verdict?.wrongLinks.isEmpty == false)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A graph that is not that of the seed is called wrong`(_ engine: Engine) throws {
        let directory = try Directory(
            in: Driver.Options.defaultDirectory, "justpersist-graph-\(UUID().uuidString)")
        defer { directory.remove() }
        for seed in [5, 6] as [UInt64] {
            let probe = ProbeRunner(
                subject: Subject(engine: engine, seed: seed), directory: directory,
                options: ["acks=\(directory.acknowledgements)"])
            let result = try Child.run(probe.command("graph"))
            #expect(result.end == .exit(seed == 5 ? 0 : 70), "\(result.output)")
        }
    }

    #if os(Linux)
        /// What LMDB does to damaged pages is counted; a crash of anything else is a failure.
        @Test func `Only what ends in the code of LMDB is taken for its doing`() {
            let libraries = { (names: String...) in
                names.map { "\($0)(+0x1f)[0x7f00]\n" }.joined()
            }
            let probe = "/somewhere/TortureProbe"
            let libc = "/lib/x86_64-linux-gnu/libc.so.6"
            let lmdb = "/lib/x86_64-linux-gnu/liblmdb.so.0"
            let inside = { (number: Int32, output: String) in
                ProbeRunner.endedInsideLMDB(.init(end: .signal(number), output: output))
            }
            #expect(inside(SIGBUS, libraries(probe, libc, lmdb, probe, libc)))
            #expect(inside(SIGABRT, libraries(probe, probe, libc, libc, libc, lmdb, probe)))
            #expect(!inside(SIGSEGV, libraries(probe, libc, probe, lmdb)))
            #expect(!inside(SIGSEGV, libraries(probe, libc, libc, "/opt/libswiftCore.so", lmdb)))
            #expect(!inside(SIGILL, libraries(probe, libc, lmdb)))
            #expect(!inside(SIGSEGV, ""))
        }
    #endif
}
