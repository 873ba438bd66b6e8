import Foundation

/// Runs each part of a task on a new thread.
///
/// Swift Testing reads the output of an exit test with a call that blocks the task's thread until the process ends. On
/// the cooperative pool, two such processes would block all threads of a machine with two processors, and a check that
/// waits for another process would wait forever.
final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread {
            // The unowned reference is valid during the job, because the closure retains the executor.
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
