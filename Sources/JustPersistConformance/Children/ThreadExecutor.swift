import Foundation

/// Runs each piece of a task on a thread of its own.
///
/// Swift Testing reads what comes from an exit test with a call that blocks until its process ends, on the
/// thread of the task. On the cooperative pool two such processes would hold all threads of a machine with two
/// processors, and a check that waits in its process for another one would wait for ever.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            // The unowned reference outlives the job, for the closure holds the executor.
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
