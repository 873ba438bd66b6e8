extension Scaffold {
    /// One thing that a target has to depend on, and how the manifest says so.
    private struct Dependency {
        let name: String
        let line: String

        init(target: String) {
            name = target
            line = "\"\(target)\","
        }

        init(product: String, in package: PackageOutline) {
            name = product
            line =
                if let justPersist = package.justPersist {
                    ".product(name: \"\(product)\", package: \"\(justPersist)\"),"
                } else {
                    "\"\(product)\","
                }
        }
    }

    /// What the manifest still lacks, to be pasted into it, and how to run the test.
    func nextSteps(in package: PackageOutline) -> String {
        let products = ["JustPersist", "JustPersistRecords"]
        let needs: [(kind: String, target: String, dependencies: [Dependency])] = [
            ("target", target, products.map { Dependency(product: $0, in: package) }),
            (
                "testTarget", testTarget,
                [
                    Dependency(target: target), Dependency(product: "JustPersist", in: package),
                    Dependency(product: "JustPersistConformanceTesting", in: package),
                ]
            ),
        ]
        var declarations = ""
        var additions: [String] = []
        for (kind, name, dependencies) in needs {
            let existing = package.target(named: name)
            let lines = dependencies.filter { existing?.dependencies.contains($0.name) != true }
                .map { String(repeating: " ", count: 16) + $0.line + "\n" }.joined()
            if existing == nil {
                declarations += """
                            .\(kind)(
                                name: "\(name)",
                                dependencies: [
                    \(lines)            ]),

                    """
            } else if !lines.isEmpty {
                additions.append("Add to the dependencies of “\(name)”:\n\n\(lines)")
            }
        }
        if !declarations.isEmpty { additions.append("Add to the targets:\n\n\(declarations)") }
        return """
            \(additions.isEmpty ? "No change is needed.\n" : additions.joined(separator: "\n"))
            Then run the conformance kit, and fill in what it asks for:

              swift test --filter \(name)Conformance
            """
    }
}
