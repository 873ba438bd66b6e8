extension Page {
    static let style = #"""
        :root { color-scheme: light dark; --text: #1c1e21; --dim: #5b626b; --back: #fff; --side: #f4f5f7;
          --line: #d9dce1; --accent: #0b5fc1; --hover: #eef3fa; --bad: #b3261e; --flash: #fff1b8; --good: #17703a; }
        @media (prefers-color-scheme: dark) {
          :root { --text: #e4e6ea; --dim: #9aa2ad; --back: #16181c; --side: #1e2126; --line: #343941;
            --accent: #7db3ff; --hover: #252b35; --bad: #ff8a80; --flash: #5a4a12; --good: #7fd69a; } }
        * { box-sizing: border-box; }
        html, body { height: 100%; margin: 0; }
        body { display: flex; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back); }
        a { color: var(--accent); } a:not(:hover) { text-decoration: none; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        .skip { position: absolute; left: -99em; } .skip:focus { left: 1em; top: 1em; z-index: 9; background: var(--back); }
        nav { width: 15em; flex: none; overflow: auto; padding: 12px; background: var(--side); border-right: 1px solid var(--line); }
        nav h2 { font-size: 1em; margin: 0 0 .4em; overflow-wrap: anywhere; } nav ul { list-style: none; margin: 0 0 1.2em; padding: 0; }
        nav li a { display: flex; justify-content: space-between; gap: 1em; padding: 3px 6px; border-radius: 4px; color: inherit; overflow-wrap: anywhere; }
        nav li a[aria-current] { background: var(--accent); color: var(--back); }
        nav .n { white-space: nowrap; overflow-wrap: normal; color: var(--dim); font-variant-numeric: tabular-nums; } nav [aria-current] .n { color: inherit; }
        main { flex: 1; min-width: 0; display: flex; flex-direction: column; padding: 12px 16px; overflow: auto; }
        main:focus { outline: none; }
        h1 { font-size: 1.25em; margin: 0 0 .5em; overflow-wrap: anywhere; } h2 { font-size: 1.05em; margin: 1.3em 0 .4em; }
        form.bar, .bar { display: flex; gap: 6px; flex-wrap: wrap; align-items: center; margin-bottom: 6px; }
        input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; }
        button { cursor: pointer; } button:hover { background: var(--hover); } button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
        input.filter { width: 100%; } .completed { flex: 1; min-width: 16em; position: relative; }
        .choices { position: absolute; z-index: 5; left: 0; top: 100%; margin: 2px 0 0; padding: 2px; list-style: none; background: var(--back); border: 1px solid var(--line); border-radius: 4px; min-width: 14em; }
        .choices li { padding: 2px 8px; cursor: pointer; } .choices li:hover, .choices li[aria-selected=true] { background: var(--accent); color: var(--back); }
        .diagram { overflow: auto; } svg rect { fill: var(--side); stroke: var(--line); } svg path { fill: none; stroke: var(--accent); stroke-width: 1.5; }
        svg text { fill: var(--text); font: 12.5px system-ui, sans-serif; } svg .name { font-weight: 600; } svg .small { font-size: 11px; fill: var(--dim); }
        svg .label { text-anchor: middle; fill: var(--accent); paint-order: stroke; stroke: var(--back); stroke-width: 3px; } details button { margin: 4px 4px 0 0; }
        .mono, input.filter, pre, td, .cell { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; } pre.fault { color: var(--bad); white-space: pre; overflow-x: auto; margin: 0 0 6px; }
        .dim { color: var(--dim); } .bad { color: var(--bad); } .good { color: var(--good); }
        .plan { flex: none; color: var(--dim); font-size: 12.5px; min-height: 1.5em; margin-bottom: 4px; overflow-wrap: anywhere; }
        .grid { flex: 1; min-height: 12em; overflow: auto; border: 1px solid var(--line); border-radius: 4px; position: relative; }
        .grid .space { position: absolute; top: 0; left: 0; width: 1px; }
        .row { display: flex; height: 26px; border-bottom: 1px solid var(--line); position: absolute; left: 0; min-width: 100%; }
        .row:hover { background: var(--hover); } .row.selected { background: var(--hover); box-shadow: inset 3px 0 var(--accent); }
        .row.changed { background: var(--flash); } .row.focus { outline: 2px solid var(--accent); outline-offset: -2px; }
        .head { position: sticky; top: 0; z-index: 2; background: var(--side); font-weight: 600; }
        .cell { width: 150px; flex: 1 0 150px; padding: 3px 8px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; border-right: 1px solid var(--line); unicode-bidi: isolate; }
        .cell.id { width: 110px; flex: none; } .head .cell { display: flex; align-items: center; gap: 2px; padding: 0 2px; font: inherit; }
        .head button { border: 0; background: none; padding: 2px 5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: inherit; }
        .head .name { flex: 1; text-align: left; } .head .label { padding: 2px 6px; } .num { text-align: right; } .kind { color: var(--dim); font-size: 11px; }
        table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 4px 8px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; unicode-bidi: isolate; }
        th { font-weight: 600; } thead th { white-space: nowrap; overflow-wrap: normal; } td:first-child { min-width: 8em; } table.item th { width: 14em; } td.num { white-space: nowrap; }
        th.num { text-align: right; } main > p, main > ul { margin: .4em 0; } p:empty { display: none; } main > ul { padding-left: 1.4em; }
        dialog h2 { margin-top: 0; } dialog button { margin-top: 8px; } form.bar input.mono { min-width: 24em; }
        textarea { width: 100%; font-size: 12.5px; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; }
        dialog { color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; max-width: 46em; width: 90%; }
        progress { width: 100%; } img { max-width: 100%; max-height: 20em; }
        #status { position: fixed; right: 1em; bottom: 1em; background: var(--text); color: var(--back); border-radius: 4px; padding: 6px 12px; }
        #status:empty { display: none; }
        @media (max-width: 50em) { body { flex-direction: column; } nav { width: 100%; max-height: 30%; border-right: 0; } main { min-height: 70%; } }
        @media print { nav, .bar, #status { display: none; } body, main { display: block; overflow: visible; } }
        @media (prefers-reduced-motion: no-preference) { .row.changed { animation: flash 3s; } @keyframes flash { from { background: var(--flash); } to { background: none; } } }
        """#
}
