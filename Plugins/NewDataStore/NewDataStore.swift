import PackagePlugin

/// `swift package new-data-store`: the start of a wrapper or an engine, and its conformance test.
///
/// What it does is in `Scaffold/`, which knows nothing of plugins, so that tests can compile it too.
@main
struct NewDataStore: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        guard let scaffold = try Scaffold(arguments: arguments) else {
            return print(Scaffold.usage)
        }
        print(try scaffold.write(into: outline(of: context.package)))
    }

    private func outline(of package: Package) -> PackageOutline {
        let justPersist = package.dependencies.map(\.package).first { dependency in
            dependency.products.contains { $0.name == "JustPersist" }
        }
        return PackageOutline(
            directory: package.directoryURL,
            targets: package.targets.compactMap { $0 as? any SourceModuleTarget }.map { target in
                PackageOutline.Target(
                    name: target.name, directory: target.directoryURL,
                    dependencies: Set(target.dependencies.map(name(of:))))
            },
            foreignModules: Set(
                package.dependencies.flatMap { $0.package.targets.map(\.name) }),
            justPersist: justPersist.map { package in
                let isNamedAlike = package.displayName.lowercased() == package.id
                return isNamedAlike ? package.displayName : package.id
            })
    }

    private func name(of dependency: TargetDependency) -> String {
        switch dependency {
        case .target(let target): target.name
        case .product(let product): product.name
        @unknown default: ""
        }
    }
}
