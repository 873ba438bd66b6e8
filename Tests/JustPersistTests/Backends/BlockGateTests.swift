import Foundation
import JustPersist
import Testing

@Suite struct BlockGateTests {
    private struct Failure: Error {}

    private func code(_ body: () throws -> Void) -> DataStoreError.Code? {
        do { try body() } catch { return (error as? DataStoreError)?.code }
        return nil
    }

    @Test func blocksRunOnlyWhileItIsOpen() throws {
        let gate = BlockGate()
        #expect(code { try gate.read { Issue.record("A block ran") } } == .notSetUp)
        #expect(throws: Failure.self) { try gate.open { throw Failure() } }
        #expect(code { try gate.write { Issue.record("A block ran") } } == .notSetUp)
        try gate.open {}
        try gate.open { Issue.record("It is open") }
        var blocks = 0
        try gate.read { blocks += 1 }
        try gate.write { blocks += 1 }
        #expect(blocks == 2)
        #expect(throws: Failure.self) { try gate.close("close") { throw Failure() } }
        #expect(code { try gate.read { Issue.record("A block ran") } } == .notSetUp)
        try gate.close("close") { Issue.record("It is closed") }
        try gate.close("destroy", evenIfClosed: true) { blocks += 1 }
        #expect(blocks == 3)
    }

    @Test func nestingFollowsTheContract() throws {
        let gate = BlockGate()
        try gate.open {}
        #expect(!gate.isInsideBlock)
        try gate.read {
            #expect(gate.isInsideBlock)
            try gate.write {
                try gate.read { #expect(gate.isInsideBlock) }
                #expect(code { try gate.write { Issue.record("A block ran") } } == .nestedWrite)
                #expect(code { try gate.close("close") {} } == .insideBlock)
            }
            #expect(gate.isInsideBlock)
        }
        #expect(!gate.isInsideBlock)
    }

    @Test func queuedWritesRunInOrderAndBeforeItCloses() throws {
        let gate = BlockGate()
        try gate.open {}
        let order = Locked<[Int]>([])
        let ended = DispatchSemaphore(value: 0)
        for number in 0..<50 {
            gate.enqueueWrite {
                #expect(!Thread.isMainThread)
                order.withLock { $0.append(number) }
                if number == 7 { throw Failure() }
            } completion: { error in
                #expect((error is Failure) == (number == 7))
                ended.signal()
            }
        }
        try gate.close("close") { #expect(order.withLock { $0 } == Array(0..<50)) }
        for _ in 0..<50 { ended.wait() }
        gate.enqueueWrite {
            Issue.record("A block ran")
        } completion: { error in
            #expect((error as? DataStoreError)?.code == .notSetUp)
            ended.signal()
        }
        ended.wait()
    }

    @Test func blocksOnTheMainThreadNestInsideAnEnginesQueue() async {
        // In a process of its own, whose main thread is free.
        await #expect(processExitsWith: .success) {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                Thread {
                    let gate = BlockGate(threading: .mainThread)
                    let engine = DispatchQueue(label: "engine")
                    var blocks = 0
                    continuation.resume(
                        with: Result {
                            try gate.open {}
                            try gate.read {
                                try engine.sync { try gate.read { blocks += 1 } }
                            }
                            try #require(blocks == 1)
                        })
                }.start()
            }
        }
    }
}
