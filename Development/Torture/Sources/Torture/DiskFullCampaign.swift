import Foundation
import Workload

/// Fills the disk below a store, frees it, and wants the next write to succeed, over and over.
struct DiskFullCampaign: Campaign {
    let name = "full"
    func goal(_ engine: Engine) -> Int { 100 }

    /// How many times the disk is filled in one trial.
    private static let cycles = 10

    /// Whether a small file system can be mounted: it takes more than being root inside a container.
    private static let hasMounts: Bool = {
        guard
            let place = try? Directory(
                in: Driver.Options.defaultDirectory, "justpersist-torture-disk-\(getpid())")
        else { return false }
        defer { place.remove() }
        guard (try? mount(at: place.path))?.end == .exit(0) else { return false }
        return (try? Child.run(["umount", place.path]))?.end == .exit(0)
    }()

    private static func mount(at path: String) throws -> Child.Result {
        try Child.run(
            ["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", path], keepsErrors: true)
    }

    func points(_ subject: Subject) throws -> [String] {
        // With files that may not grow where no small file system can be had.
        (0..<12).map { $0 % 4 == 3 || !Self.hasMounts ? "limit/\($0)" : "tmpfs/\($0)" }
    }

    func run(_ point: String, _ subject: Subject, in directory: Directory) throws -> Outcome {
        let parts = point.split(separator: "/").map(String.init)
        guard parts.count == 2, let session = Int(parts[1]) else {
            throw TortureError("“\(point)” is no point of \(name)")
        }
        let disk = directory.path + "/disk"
        guard mkdir(disk, 0o700) == 0 else { throw TortureError("mkdir: \(errno)") }
        let isMounted = parts[0] == "tmpfs"
        if isMounted {
            let result = try Self.mount(at: disk)
            guard result.end == .exit(0) else { throw TortureError("mount: \(result.output)") }
        }
        defer { if isMounted { _ = try? Child.run(["umount", "-l", disk]) } }
        let probe = ProbeRunner(
            subject: subject, directory: directory, store: disk + "/store",
            options: ["buffer=65536"])
        let result = try Child.run(
            probe.command(
                "fill", "acks=\(directory.acknowledgements)", "cycles=\(Self.cycles)",
                "session=\(session)", isMounted ? "ballast=\(disk)/ballast" : "limit=1"),
            within: 120)
        guard result.end == .exit(0) else {
            return .failed("the probe ended with \(result.end): \(result.output)")
        }
        var outcome = try probe.assess(
            mayKeepRefused: false, further: AcknowledgementFile.capacity - 1, existing: true)
        outcome.count = Self.cycles
        outcome.tallies[parts[0], default: 0] += Self.cycles
        let refused = try AcknowledgementFile(directory.acknowledgements).blocks(.refused).count
        outcome.tallies["refused when full", default: 0] += refused
        return outcome
    }
}
