import JustPersist

extension ModelHistory {
    /// This history with one part simplified, for each part.
    var plainer: [ModelHistory] {
        var result: [ModelHistory] = []
        for attribute in attributes {
            for other in ["a", attributes[0]] where other != attribute {
                result.append(renaming(attribute, to: other))
            }
        }
        for type in types {
            for other in ["Model", types[0]] where other != type {
                result.append(renamingType(type, to: other))
            }
        }
        for index in operations.indices {
            for operation in operations[index].plainer {
                var history = self
                history.operations[index] = operation
                result.append(history)
            }
            if let history = joiningBlock(at: index) { result.append(history) }
        }
        return result
    }

    /// The history with a write block and the next one joined.
    private func joiningBlock(at index: Int) -> ModelHistory? {
        guard index + 1 < operations.count,
            case .write(let first, let store, let isRolledBack) = operations[index],
            case .write(let second, store, isRolledBack) = operations[index + 1]
        else { return nil }
        var history = self
        history.operations[index] = .write(
            first + second, store: store, isRolledBack: isRolledBack)
        history.operations.remove(at: index + 1)
        return history
    }

    private func renaming(_ attribute: String, to other: String) -> ModelHistory {
        func renamed(_ name: String) -> String { name == attribute ? other : name }
        func renamedPath(_ text: String) -> String {
            var names = text.split(separator: ".", omittingEmptySubsequences: false).map(
                String.init)
            names[0] = renamed(names[0])
            return names.joined(separator: ".")
        }
        return mapSteps { step in
            switch step {
            case .create(let item, let type, let values):
                .create(item: item, type: type, values: values.mapKeys(renamed))
            case .insert(let item, let type, let values):
                .insert(item: item, type: type, values: values.mapKeys(renamed))
            case .set(let item, let name, let value):
                .set(item: item, attribute: renamed(name), value: value)
            case .setThawed(let item, let name, let value):
                .setThawed(item: item, attribute: renamed(name), value: value)
            case .delete, .deleteAll, .request: step
            }
        } requests: { request in
            var request = request
            request.predicate = request.predicate?.mapPaths { path in
                var names = path.components
                names[0] = renamed(names[0])
                return DataStorePredicate.AttributePath(names)
            }
            request.sort = request.sort.map {
                DataStoreSortDescriptor(key: renamedPath($0.key), ascending: $0.ascending)
            }
            return request
        }
    }

    private func renamingType(_ type: String, to other: String) -> ModelHistory {
        func renamed(_ name: String) -> String { name == type ? other : name }
        return mapSteps { step in
            switch step {
            case .create(let item, let type, let values):
                .create(item: item, type: renamed(type), values: values)
            case .insert(let item, let type, let values):
                .insert(item: item, type: renamed(type), values: values)
            case .deleteAll(let types): .deleteAll(types: types.map(renamed))
            case .set, .setThawed, .delete, .request: step
            }
        } requests: { request in
            var request = request
            request.type = renamed(request.type)
            return request
        }
    }

    /// The history with other numbers for its items, also in references.
    func mapItems(_ map: (Int) -> Int) -> ModelHistory {
        func mapped(_ reference: ItemReference) -> ItemReference {
            guard let number = reference.number else { return reference }
            return .numbered(map(number), type: reference.itemTypeKey)
        }
        func mapped(_ values: [String: DataStoreValue]) -> [String: DataStoreValue] {
            values.mapValues { $0.mapReferences(mapped) }
        }
        return mapSteps { step in
            switch step {
            case .create(let item, let type, let values):
                .create(item: map(item), type: type, values: mapped(values))
            case .insert(let item, let type, let values):
                .insert(item: map(item), type: type, values: mapped(values))
            case .set(let item, let name, let value):
                .set(item: map(item), attribute: name, value: value.mapReferences(mapped))
            case .setThawed(let item, let name, let value):
                .setThawed(item: map(item), attribute: name, value: value.mapReferences(mapped))
            case .delete(let item): .delete(item: map(item))
            case .deleteAll, .request: step
            }
        } requests: { request in
            var request = request
            request.predicate = request.predicate?.mapReferences(mapped)
            return request
        }
    }

    private func mapSteps(
        _ map: (ModelStep) -> ModelStep, requests: (ModelRequest) -> ModelRequest
    ) -> ModelHistory {
        ModelHistory(
            operations: operations.map { operation in
                switch operation {
                case .reopen, .makeChild, .merge, .discard: operation
                case .read(let list, let store): .read(list.map(requests), store: store)
                case .write(let steps, let store, let isRolledBack):
                    .write(
                        steps.map { step in
                            step.request.map { .request(requests($0)) } ?? map(step)
                        }, store: store, isRolledBack: isRolledBack)
                }
            })
    }
}

extension ModelOperation {
    /// This operation with one part simplified, for each part.
    fileprivate var plainer: [ModelOperation] {
        switch self {
        case .reopen, .makeChild, .discard: []
        case .merge(let child, let policy):
            policy == .childWins ? [] : [.merge(child, policy: .childWins)]
        case .read(let requests, let store):
            (store == 0 ? [] : [.read(requests)])
                + requests.replacingEach(\.plainer).map { .read($0, store: store) }
        case .write(let steps, let store, let isRolledBack):
            (isRolledBack ? [.write(steps, store: store)] : [])
                + (store == 0 ? [] : [.write(steps, isRolledBack: isRolledBack)])
                + steps.replacingEach(\.plainer).map {
                    .write($0, store: store, isRolledBack: isRolledBack)
                }
        }
    }
}

extension ModelStep {
    fileprivate var plainer: [ModelStep] {
        switch self {
        case .create(let item, let type, let values):
            values.plainer.map { .create(item: item, type: type, values: $0) }
        case .insert(let item, let type, let values):
            [.create(item: item, type: type, values: values)]
                + values.plainer.map { .insert(item: item, type: type, values: $0) }
        case .set(let item, let name, let value):
            value.plainer.map { .set(item: item, attribute: name, value: $0) }
        case .setThawed(let item, let name, let value):
            [.set(item: item, attribute: name, value: value)]
                + value.plainer.map { .setThawed(item: item, attribute: name, value: $0) }
        case .delete: []
        case .deleteAll(let types): types.removingEach.map { .deleteAll(types: $0) }
        case .request(let request): request.plainer.map { .request($0) }
        }
    }
}

extension ModelRequest {
    fileprivate var plainer: [ModelRequest] {
        func with(_ change: (inout ModelRequest) -> Void) -> ModelRequest {
            var request = self
            change(&request)
            return request
        }
        return [
            with { $0.predicate = nil }, with { $0.sort = [] }, with { $0.offset = nil },
            with { $0.limit = nil },
        ]
            + (predicate?.plainer ?? []).map { plainer in with { $0.predicate = plainer } }
            + sort.removingEach.map { fewer in with { $0.sort = fewer } }
    }
}
