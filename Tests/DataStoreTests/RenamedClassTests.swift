import Foundation
import JustPersistMacros
import Testing

/// Classes that are renamed from one opening of a store to the next.
@Suite struct RenamedClassTests {
    private func withStore(
        _ backend: Backend, at directory: URL, _ body: (any DataStore) throws -> Void
    ) throws {
        let store = backend.make(at: directory)
        try store.open()
        try body(store)
        try expectSound(store)
        try store.close()
    }

    @Test(arguments: Backend.persistent, [false, true])
    func aRenamedClassKeepsItsItemsAndReferences(
        _ backend: Backend, skipsTheSecond: Bool
    ) throws {
        try withTemporaryDirectory { directory in
            try withStore(backend, at: directory) { store in
                try store.write { db in
                    let salad = try db.create(FirstRelease.Meal.self)
                    salad.name = "salad"
                    let soup = try db.create(FirstRelease.Meal.self)
                    soup.name = "soup"
                    soup.side = salad.reference
                }
            }
            if !skipsTheSecond {
                try withStore(backend, at: directory) { store in
                    try store.write { db in
                        let soup = try #require(
                            try db.first(SecondRelease.Dish.self, where: \.name == "soup"))
                        #expect(
                            try soup.side.flatMap { try db.item(SecondRelease.Dish.self, $0) }?.name
                                == "salad")
                        try db.create(SecondRelease.Dish.self).side = soup.reference
                    }
                }
            }
            for isWritten in [false, true] {
                try withStore(backend, at: directory) { store in
                    if isWritten {
                        try store.write { db in try db.create(ThirdRelease.Course.self).name = "pie"
                        }
                    }
                    try store.read { db in
                        let names =
                            ["salad", "soup"] + (skipsTheSecond ? [] : [""])
                            + (isWritten ? ["pie"] : [])
                        let courses = try db.items(ThirdRelease.Course.self)
                        #expect(courses.map(\.name) == names)
                        #expect(
                            try courses[1].side.flatMap {
                                try db.item(ThirdRelease.Course.self, $0)
                            }?.name == "salad")
                        let predicate = try DataStorePredicate("side.name == 'salad'")
                        try #expect(
                            db.items(ThirdRelease.Course.self, where: predicate).map(\.name) == [
                                "soup"
                            ])
                    }
                }
            }
            // The first release again.
            try withStore(backend, at: directory) { store in
                let names = try store.read { db in try db.items(FirstRelease.Meal.self).map(\.name)
                }
                #expect(names == ["salad", "soup"] + (skipsTheSecond ? ["pie"] : ["", "pie"]))
            }
        }
    }
}

private enum FirstRelease {
    @Item("Meal") final class Meal {
        var name: String = ""
        var side: ItemReference?
    }
}

private enum SecondRelease {
    @Item("Dish", originalName: "Meal") final class Dish {
        var name: String = ""
        var side: ItemReference?
    }
}

/// For users who may have skipped the second release.
private enum ThirdRelease {
    @Item(originalName: "Dish", "Meal") final class Course {
        var name: String = ""
        var side: ItemReference?
    }
}
