/// The help text on the language of predicates, which is that of `DataStorePredicate`'s format.
enum PredicateLanguage {
    static let text = #"""
        A predicate is a condition in the language of NSPredicate. Quote it for the shell in single quotes, as '...', so \#
        that $, * and " reach the tool. Keywords are read in either case.

        Logic:

          a AND b, a && b
          a OR b, a || b
          NOT a, !a: NOT precedes a comparison, as in NOT (name IN {"a", "b"})
          TRUEPREDICATE, FALSEPREDICATE: all items, no item

        Comparisons:

          ==, =, !=, <>, <, <=, >, >=
          name == nil, name != nil: has no value, has a value (IS NULL is not understood)
          stars BETWEEN {2, 4}: both bounds included
          name IN {"a", "b"}: one of a list, in braces
          name CONTAINS "a": a part of a text, or an element of an array
          name BEGINSWITH "a", name ENDSWITH "a"
          name LIKE "a*": * matches any number of characters and ? one; % matches itself
          name MATCHES "[a-z]+": a regular expression for the whole text
          ANY tags == "a", ALL tags == "a", NONE tags == "a": of the elements of an array
          name CONTAINS[cd] "cafe": ignores case (c) and accents (d), for all that compare texts

        Values:

          "text", 'text': a backslash before a quotation mark; \n, \t and \u00e9 for other characters
          5, -4.5, 1e3, 0xff
          true, false, nil
          {1, 2, 3}: a list
          date("2026-03-01T12:00:00Z"), uuid("..."), decimal("1.5"), data("aGk="), url("...")
          reference("Type", "id")

        Names:

          name: letters, digits and underscores of any script
          address.zip: an entry of a dictionary
          tags[0], tags[FIRST], tags[LAST], tags.@count: of an array
          grades.score: the scores of all grades; grades.@avg.score, and @sum, @min, @max in the same way
          #"address line 2", #"$price", #"a-b": a name with spaces or other symbols
          #in: a name that is a keyword
          uniqueToken: the id of the item

        In --columns, --select, --group-by, --sort and --set a name is written as it is, with its spaces: 'name,address \#
        line 2'. With a comma, a colon or an equals sign in it, it is written in quotes there too: '#"a,b"'.

        Calculations:

          +, -, *, /, **, and parentheses
          sum(...), average(...), min(...), max(...), count(...), sqrt(...), abs(...), floor(...), ceiling(...)
          lowercase(name), uppercase(name), length(name), now()
          modulus:by:(a, b): the remainder of a division
          SUBQUERY(grades, $g, $g.score > 5).@count: the elements that fulfil a condition
          TERNARY(a == b, 1, 2), CAST(x, "NSNumber")
        """#
}
