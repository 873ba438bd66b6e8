import Foundation
import JustPersist

/// Checks that run one after the other in one process, because starting a process takes longer than most checks.
///
/// If the process ends or hangs before a check has a result, that check runs again, in its own process.
final class CheckBatch: Sendable {
    /// A check, and the state of the store that it examines.
    typealias Member = (definition: CheckDefinition, variant: StoreVariant)

    /// The groups whose checks run alone, because they measure or end their process, or need its main thread.
    private static let exceptions: Set<Substring> = [
        "fixture", "life", "thread", "dur", "size", "perf",
    ]
    private static let size = 24
    /// The number of processes of a batch that may end early before the remaining checks run alone.
    private static let patience = 3

    private let members: [Member]
    private let results = Locked<Task<[String: CheckResult], Never>?>(nil)

    private init(_ members: [Member]) { self.members = members }

    /// The batches of a run, by the ids of their checks.
    static func batches(of members: [Member]) -> [String: CheckBatch] {
        let members = members.filter { !exceptions.contains($0.definition.group) }
        var batches: [String: CheckBatch] = [:]
        for start in stride(from: 0, to: members.count, by: size) {
            let part = Array(members[start..<min(start + size, members.count)])
            if part.count == 1 { continue }
            let batch = CheckBatch(part)
            for member in part { batches[Self.id(member)] = batch }
        }
        return batches
    }

    private static func id(_ member: Member) -> String {
        member.definition.id + member.variant.suffix
    }

    /// The result of a check of the batch; `nil` if the check must run alone.
    ///
    /// The batch runs when the first result is requested.
    func result(
        of id: String, _ fixture: any ConformanceFixture.Type, _ options: ConformanceOptions,
        _ launcher: ChildLauncher
    ) async -> CheckResult? {
        let task = results.withLock { results in
            let task =
                results
                ?? Task(executorPreference: ThreadExecutor.shared) {
                    await ProcessSlots.shared.withSlot {
                        await self.run(fixture, options, launcher)
                    }
                }
            results = task
            return task
        }
        return await withTaskCancellationHandler {
            await task.value[id]
        } onCancel: {
            task.cancel()
        }
    }

    private func run(
        _ fixture: any ConformanceFixture.Type, _ options: ConformanceOptions,
        _ launcher: ChildLauncher
    ) async -> [String: CheckResult] {
        var results: [String: CheckResult] = [:]
        var rest = members[...]
        for _ in 0..<Self.patience where !rest.isEmpty && !Task.isCancelled {
            let directory = options.scratchDirectory
                .appending(path: "conformance-\(UUID().uuidString)", directoryHint: .isDirectory)
            defer { try? FileManager.default.removeItem(at: directory) }
            let answer = directory.appending(path: "answer.json")
            do {
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: true)
                _ = try await launcher.launch(
                    ChildJob(
                        .batch(
                            rest.map { ChildJob.Check(id: $0.definition.id, variant: $0.variant) }),
                        for: fixture, options: options, directory: directory, answer: answer),
                    servingRequestsIn: directory)
            } catch {
                // Each check then runs alone, and reports the reason that no process can be started.
                return results
            }
            for (index, member) in rest.enumerated() {
                guard let data = try? Data(contentsOf: Self.answer(index, of: answer)),
                    let result = try? CheckResult(answer: data)
                else { continue }
                results[Self.id(member)] = result
            }
            rest = rest.filter { results[Self.id($0)] == nil }.dropFirst()
        }
        return results
    }

    /// The file for the result of a check of a batch.
    static func answer(_ index: Int, of file: URL) -> URL {
        file.appendingPathExtension("\(index)")
    }
}
