import Foundation
import Torture

/// Prints to standard error and leaves.
func leave(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
    exit(64)
}

let usage = """
    usage: TortureTool [--long] [--minutes M] [--only CAMPAIGN,…] [--engine lmdb|leveldb] [--seed N] [--rounds N]
                       [--trials N] [--directory PATH] [--may-skip] [--repeat 'CAMPAIGN ENGINE POINT']
    """
var options = Driver.Options(seed: .random(in: 1...999_999_999))
var minutes = 9.0
var mayLeaveOut = false
var repeated: [String]?
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    func value() -> String { words.popFirst() ?? { leave("\(word) needs a value.\n\(usage)") }() }
    func number<Number: LosslessStringConvertible>() -> Number {
        let text = value()
        return Number(text) ?? { leave("\(word) \(text) is no number.\n\(usage)") }()
    }
    switch word {
    case "--long": options.isLong = true
    case "--minutes": minutes = number()
    case "--only": options.only = value().split(separator: ",").map(String.init)
    case "--engine":
        guard let engine = Engine(rawValue: value()) else {
            leave("The engines are lmdb and leveldb.")
        }
        options.engines = [engine]
    case "--seed": options.seed = number()
    case "--rounds": options.rounds = number()
    case "--trials": options.trials = number()
    case "--directory": options.directory = value()
    case "--may-skip": mayLeaveOut = true
    case "--repeat":
        repeated = value().split(separator: " ", maxSplits: 2).map(String.init)
    default: leave(usage)
    }
}
if !options.isLong { options.seconds = minutes * 60 }
do {
    let driver = try Driver(options)
    let report: Report
    if let repeated {
        guard repeated.count == 3, let engine = Engine(rawValue: repeated[1]) else { leave(usage) }
        report = try driver.repeatTrial(repeated[0], engine, repeated[2])
    } else {
        print("seed \(options.seed)")
        report = try driver.run()
    }
    print(report.text)
    exit(
        report.failures.isEmpty && (report.skipped.isEmpty || !options.isLong || mayLeaveOut)
            ? 0 : 1)
} catch {
    leave("\(error)")
}
