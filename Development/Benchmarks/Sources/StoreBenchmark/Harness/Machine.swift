import Foundation

/// The machine in one line, for readers of the figures.
enum Machine {
    static var line: String {
        let info = ProcessInfo.processInfo
        let gigabytes = Double(info.physicalMemory) / 1_073_741_824
        let memory = "\(Int(gigabytes.rounded())) GiB"
        return
            "\(processor), \(info.processorCount) cores, \(memory), \(info.operatingSystemVersionString)"
    }

    /// The average number of runnable processes over the last minute.
    static var load: Double? {
        var average = 0.0
        return getloadavg(&average, 1) == 1 ? average : nil
    }

    private static var processor: String {
        let info = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = info?.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        return name ?? "unknown processor"
    }
}
