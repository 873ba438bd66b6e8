"""The inspector's pages in a browser: python3 pages.py TOOL CHROMIUM FOLDER [ITEMS]

Makes stores with the tool, runs `justpersist inspect`, and goes through the pages as a reader does. Pictures of the states are
written to FOLDER. With ITEMS, a store of so many items is measured too.
"""

import asyncio
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from browser import Browser

tool, chromium, folder = sys.argv[1:4]
items = int(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else 0
pictures = pathlib.Path(folder)
pictures.mkdir(parents=True, exist_ok=True)
passed, failed = 0, []

PWN = "window['__pwned']=1"
HOSTILE = [f"<img src=x onerror={PWN}>", f"<script>{PWN}</script>", f"\"><svg onload={PWN}>", f"javascript:{PWN}",
           "\u202eRTL\u202d", "nul\u0000nul", "${" + PWN + "}", "{{constructor.constructor('" + PWN + "')()}}", "'\"`",
           "x" * 1_000_000, "\U0001f600" * 50, "</pre></table></main>", "data:text/html,<script>" + PWN + "</script>"]


def check(name, condition, detail=""):
    global passed
    if condition:
        passed += 1
        print(f"  ok   {name}")
    else:
        failed.append(name)
        print(f"  FAIL {name} {detail}")


def run(*arguments):
    subprocess.run([tool, *arguments], check=True, stdout=subprocess.DEVNULL)


def imported(directory, store, kind, rows, *options):
    file = pathlib.Path(directory, f"rows-{random.random()}.jsonl")
    with open(file, "w") as output:
        for row in rows:
            output.write(json.dumps(row) + "\n")
    run("import", store, kind, str(file), *options)


def make_stores(directory):
    first, second, hostile = (f"lmdb:{directory}/{name}" for name in ["music", "copy", "hostile"])
    artists = [{"code": f"a{n}", "name": f"Artist {n}", "since": {"$date": 86400000 * n}} for n in range(20)]
    albums = [{"code": f"b{n}", "title": f"Album {n:04}", "stars": n % 6, "artist_code": f"a{n % 20}",
               "tags": ["rock", "live"][: n % 3], "price": n + 0.5} for n in range(1000)]
    imported(directory, first, "Artist", artists, "--key", "code")
    imported(directory, first, "Album", albums, "--key", "code", "--relation", "artist=Artist.code:artist_code",
             "--inverse", "artist=albums")
    run("index", "add", first, "Album", "stars")
    run("migrate", first, second)
    run("update", second, "Album", "--where", 'title == "Album 0007"', "--set", "stars=99", "--yes")
    rows = [{"text": text, "link": {"$url": "javascript:window.__pwned=1"}, f"<b onclick={PWN}>name</b>": text[:200],
             "blob": {"$data": "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"}} for text in HOSTILE]
    imported(directory, hostile, f"<img src=x onerror={PWN}>", rows)
    imported(directory, hostile, "__proto__", [{"constructor": "x", "toString": 1}])
    return [first, second, hostile]


class Inspector:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([tool, "inspect", *arguments], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[1]
        self.port = re.search(r":(\d+)/", self.url).group(1)

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return {name: int(re.search(rf"{name}:\s+(\d+)", status).group(1)) / 1024
                for name in ["VmHWM", "VmRSS", "RssAnon", "RssFile"]}

    def end(self):
        self.process.send_signal(2)
        return self.process.wait(10)


async def signed_in(browser, inspector):
    page = await browser.page()
    await page.call("Page.addScriptToEvaluateOnNewDocument", source="window.__violations = [];"
                    "addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.violatedDirective))")
    await page.open(inspector.url)
    await page.wait("document.body?.dataset.ready")
    return page


async def go(page, inspector, query):
    await page.open(f"http://127.0.0.1:{inspector.port}/?{query}")
    await page.wait("document.body?.dataset.ready")


async def reader(page, inspector, stores, browser):
    check("the token leaves the address", "#t=" not in await page.value("location.href"))
    check("the types are shown", "Album" in await page.value("document.querySelector('main').innerText"))
    await page.picture(pictures / "types.png")

    await page.click("[...document.querySelectorAll('nav a')].find((one) => one.innerText.startsWith('Album'))")
    await page.wait("document.querySelectorAll('.row').length > 20 && /1,000 items/.test(document.querySelector('.plan').innerText)")
    await page.picture(pictures / "grid.png")
    check("a page of the grid has few rows", await page.value("document.querySelectorAll('.row').length") < 60)

    # By the keyboard alone: no script moves the focus.
    check("Tab leads to the filter", await page.tab_to("one.matches('input.filter')"))
    await page.type("sta")
    await page.wait("!document.querySelector('.choices').hidden")
    await page.key("ArrowDown")
    await page.key("Enter")
    check("a name is completed", await page.value("document.querySelector('input.filter').value") == "stars ")
    check("controls with the completions open have names", await page.controls_without_name() == [])
    await page.type('== "st')
    check("nothing is completed in a text", await page.value("document.querySelector('.choices').hidden"))
    await page.value("document.querySelector('input.filter').select()")
    await page.type("stars >= 5")
    await page.key("Enter")
    await page.wait("/^166 items/.test(document.querySelector('.plan')?.innerText ?? '')")
    check("Tab leads to the grid", await page.tab_to("one.matches('.grid')"))
    await page.wait("document.querySelector('.row.focus')?.innerText.includes('Album')")
    await page.key("ArrowDown")
    await page.key("ArrowDown")
    await page.key(" ")
    await page.wait("document.querySelector('.row.selected.focus')?.getAttribute('aria-rowindex') === '4'")
    check("the arrows move, Space selects", True)
    await page.key("Enter")
    await page.wait("document.querySelector('table.item')")
    check("Enter opens the item", True)
    check("Tab leads to a linked item", await page.tab_to("one.matches('main li a')"))
    await page.key("Enter")
    await page.wait("document.querySelector('h1')?.innerText.startsWith('Artist')")
    check("Enter follows a link", True)
    for query in ["", "view=schema", "type=Album", "view=raw", "view=diff&other=1"]:
        await go(page, inspector, query)
        await page.wait("(!document.querySelector('.grid') || document.querySelector('.head button')) && !document.querySelector('progress')")
        nameless = await page.controls_without_name()
        check(f"all controls have names: {query or 'types'}", nameless == [], str(nameless))
        reached = set()
        for _ in range(120):
            await page.key("Tab")
            place = await page.value("[...document.querySelectorAll('*')].indexOf(document.activeElement)")
            if place in reached:
                break
            reached.add(place)
        wanted = set(await page.value(
            "(() => { const all = [...document.querySelectorAll('*')]; return all.filter((one) => one.tabIndex >= 0 && !one.disabled "
            "&& one.checkVisibility({visibilityProperty: true})).map((one) => all.indexOf(one)) })()"))
        check(f"Tab reaches all controls: {query or 'types'}", wanted <= reached, str(wanted - reached))

    await go(page, inspector, "view=schema")
    check("the schema is drawn", await page.value("document.querySelectorAll('svg rect').length") == 2)
    text = await page.value("document.querySelector('main').innerText")
    check("the schema names relationships", "artist / albums" in await page.value("document.querySelector('svg').textContent")
          and "inverse artist" in text, text)
    await page.picture(pictures / "schema.png")
    await go(page, inspector, "type=Album")
    await page.click("document.querySelector('details summary')")
    await page.click("[...document.querySelectorAll('details button')].find((one) => one.innerText.includes('BETWEEN'))")
    await page.key("Enter")
    await page.wait("/BETWEEN/.test(location.search) && /items/.test(document.querySelector('.plan')?.innerText ?? '')")
    check("an example is a valid predicate", await page.value("document.querySelector('.fault').innerText") == "")
    count = await page.value("document.querySelectorAll('details button').length")
    wrong = []
    for place in range(count):
        example = await page.value(f"document.querySelectorAll('details button')[{place}].textContent")
        answer = await page.value(
            f"fetch('/count.json?' + new URLSearchParams({{type: 'Album', where: {json.dumps(example)}}})).then((one) => one.status)")
        if answer != 200:
            wrong.append(example)
    check(f"all {count} examples are valid", count > 3 and not wrong, str(wrong))

    await go(page, inspector, "type=Album")
    await page.value("document.querySelector('input.filter').focus()")
    await page.type("stars == 4 AND price < 200")
    await page.key("Enter")
    await page.wait("/^33 items .*records examined/.test(document.querySelector('.plan')?.innerText ?? '')")
    check("a filter is in the address", "where=stars" in await page.value("location.search"))
    await page.picture(pictures / "filter.png")
    await page.value("document.querySelector('input.filter').select()")
    await page.type("stars = = 4")
    await page.key("Enter")
    await page.wait("document.querySelector('.fault')?.innerText.includes('^')")
    caret = await page.value("document.querySelector('.fault').innerText.split('\\n')[1].indexOf('^')")
    check("a caret is under the mistake", caret == 8, f"at {caret}")
    check("the field is marked", await page.value("document.querySelector('input.filter').getAttribute('aria-invalid')") == "true")
    await page.picture(pictures / "mistake.png")
    await page.value("history.back()")
    await page.wait("document.querySelector('input.filter')?.value === 'stars == 4 AND price < 200'")
    check("the back button shows the filter before", True)

    await go(page, inspector, "type=Album")
    await page.wait("document.querySelectorAll('.row').length > 20 && document.querySelector('.head button')")
    await page.click("[...document.querySelectorAll('.head button')].find((one) => one.innerText === 'title')")
    await page.wait("document.querySelector('[aria-sort=ascending]')")
    await page.click("[...document.querySelectorAll('.head button')].find((one) => one.innerText.startsWith('title'))")
    await page.wait("document.querySelector('[aria-sort=descending]') && document.querySelectorAll('.row')[1]?.innerText.includes('Album 0999')")
    check("a click sorts, a second one turns the order", "sort=title%3Adesc" in await page.value("location.search"))
    await page.value("document.querySelector('.grid').focus()")
    await page.key("End")
    await page.wait("[...document.querySelectorAll('.row')].at(-1)?.innerText.includes('Album 0000')")
    check("End shows the last item", True)
    await page.key("Enter")
    await page.wait("document.querySelector('h1')?.innerText.includes('Album 0000')")
    await page.picture(pictures / "item.png")
    check("Enter opens the item", True)
    await page.click("[...document.querySelectorAll('main li a')].find((one) => one.innerText === 'Artist 0')")
    await page.wait("document.querySelector('h1')?.innerText === 'Artist 0'")
    text = await page.value("document.querySelector('main').innerText")
    check("an item shows its relationships and what refers to it", "albums → Album (50)" in text and "Album.artist 50" in text)
    await page.picture(pictures / "links.png")
    check("controls of an item have names", await page.controls_without_name() == [])

    await go(page, inspector, "type=Album")
    await page.wait("/1,000 items/.test(document.querySelector('.plan')?.innerText ?? '')")
    check("controls of the grid have names", await page.controls_without_name() == [])
    await page.value("(() => { const list = document.querySelector('[aria-label^=Frequent]'); list.value = 'stars'; list.dispatchEvent(new Event('change')) })()")
    await page.wait("document.querySelectorAll('dialog td').length >= 12")
    await page.picture(pictures / "frequent.png")
    check("controls of the dialog have names", await page.controls_without_name() == [])
    await page.click("document.querySelector('dialog a')")
    await page.wait("/stars == /.test(document.querySelector('input.filter')?.value)")
    check("a frequent value narrows the filter", True)

    # Copies.
    await browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"],
                       origin=f"http://127.0.0.1:{inspector.port}")
    await page.wait("/^167 items/.test(document.querySelector('.plan').innerText) && document.querySelectorAll('.row')[1]?.innerText.includes('Album')")
    await page.value("document.querySelector('.grid').focus()")
    await page.key(" ")
    await page.wait("document.querySelectorAll('.row')[1].matches('.selected.focus')")
    check("Space selects the first item and does not scroll", await page.value("document.querySelector('.grid').scrollTop") == 0)
    await page.click("document.querySelectorAll('.row')[3].children[2]")
    await page.wait("document.querySelectorAll('.row')[3].matches('.selected.focus')")
    await page.click("document.querySelectorAll('.row')[3].children[2]")
    await page.wait("!document.querySelectorAll('.row')[3].matches('.selected')")
    check("a click selects and releases", True)
    # A row that is drawn between press and release of the button is the same.
    await page.value("(() => { const rows = document.querySelectorAll('.row'); window.__row = rows[2]; "
                     "dispatchEvent(new Event('resize')) })()")
    check("a row that is drawn again is the same node", await page.value("document.querySelectorAll('.row')[2] === window.__row"))
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Copy')")
    await page.wait("/1 items? copied/.test(document.querySelector('#status').innerText)")
    copied = json.loads(await page.value("navigator.clipboard.readText()"))
    check("a selection is copied as JSON", len(copied) == 1 and copied[0]["title"].startswith("Album"))

    # Live rows.
    await go(page, inspector, "type=Album&sort=title")
    await page.wait("/1,000 items/.test(document.querySelector('.plan')?.innerText ?? '')")
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Live')")
    await asyncio.sleep(1)
    run("update", stores[0], "Album", "--where", 'title == "Album 0003"', "--set", "stars=77", "--yes")
    await page.wait("[...document.querySelectorAll('.row.changed')].some((row) => row.innerText.includes('77'))")
    await page.picture(pictures / "live.png")
    check("only the row of another process's commit flashes", await page.value("document.querySelectorAll('.row.changed').length") == 1)

    # Bytes, checks, comparisons.
    await go(page, inspector, "view=raw&part=record")
    text = await page.value("document.querySelector('main').innerText")
    check("the bytes of records have right checksums", "right" in text and "damaged" not in text)
    await page.picture(pictures / "bytes.png")
    check("controls of the bytes have names", await page.controls_without_name() == [])
    await go(page, inspector, "view=verify")
    await page.wait("/Nothing is damaged/.test(document.querySelector('main').innerText)")
    check("a verification ends", True)
    await go(page, inspector, "view=stats")
    await page.wait("/pages of/.test(document.querySelector('main').innerText)")
    check("the sizes of types and indexes are shown", await page.value(
        "[...document.querySelectorAll('tbody tr')].some((one) => /index.*Album.*stars.*1,000/s.test(one.innerText))"))
    check("controls of the sizes have names", await page.controls_without_name() == [])
    await page.picture(pictures / "sizes.png")
    await go(page, inspector, "view=diff&other=1")
    await page.wait("/2 different|different, /.test(document.querySelector('main').innerText)")
    text = await page.value("document.querySelector('main').innerText")
    check("a comparison shows the values", "99" in text and "2 different" in text, text)
    await page.picture(pictures / "comparison.png")

    # Appearances.
    await go(page, inspector, "type=Album&where=stars%20%3D%3D%204")
    await page.wait("document.querySelectorAll('.row').length > 20")
    light = await page.value("getComputedStyle(document.body).backgroundColor")
    await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    dark = await page.value("getComputedStyle(document.body).backgroundColor")
    check("dark and light", light != dark)
    await page.picture(pictures / "dark.png")
    await page.call("Emulation.setEmulatedMedia", features=[])
    await page.call("Emulation.setDeviceMetricsOverride", width=640, height=430, deviceScaleFactor=2, mobile=False)
    check("nothing is cut off at 200 %", await page.value("document.documentElement.scrollWidth <= 640"))
    await page.picture(pictures / "zoomed.png")
    await page.call("Emulation.clearDeviceMetricsOverride")


async def hostile(page, inspector):
    await go(page, inspector, "store=2")
    names = await page.value("[...document.querySelectorAll('nav a')].map((one) => one.innerText)")
    check("a name is shown as text", any("<img src=x" in name for name in names))
    await page.click("[...document.querySelectorAll('nav a')].find((one) => one.innerText.startsWith('<img'))")
    await page.wait("document.querySelectorAll('.row').length > 10")
    await page.picture(pictures / "hostile.png")
    check("the longest cell is cut", await page.value("document.querySelector('.grid').innerHTML.length") < 200_000)
    addresses = await page.value("[...document.querySelectorAll('.row a')].map((one) => one.href)")
    check("there are rows", len(addresses) > 10)
    for address in addresses:
        await page.open(address)
        await page.wait("document.body?.dataset.ready && document.querySelector('table.item')")
        check_links = await page.value("[...document.querySelectorAll('a')].every((one) => one.protocol === 'http:')")
        if not check_links:
            check("links lead to pages only", False, address)
        if await page.value("document.querySelectorAll('main img, main script, main svg').length"):
            check("no value is markup", False, address)
    await go(page, inspector, "store=2&type=__proto__")
    await page.wait("document.querySelectorAll('.row').length > 1")
    await go(page, inspector, "store=2&type=%3Cscript%3Ewindow.__pwned%3D1%3C%2Fscript%3E&where=%3Cimg%20src%3Dx%20onerror%3Dwindow.__pwned%3D1%3E")
    check("no value is run", await page.value("window.__pwned === undefined && ({}).constructor === Object"))
    check("the content security policy had nothing to do", await page.value("window.__violations.length") == 0)


async def changing(browser, store):
    """Edits, a deletion, and a value that is hostile."""
    inspector = Inspector("--write", store)
    page = await signed_in(browser, inspector)
    await go(page, inspector, "type=Artist&where=code%20%3D%3D%20%22a3%22")
    await page.wait("document.querySelector('.row.focus')?.innerText.includes('Artist 3')")
    await page.value("document.querySelector('.grid').focus()")
    await page.key("Enter")
    await page.wait("document.querySelector('table.item')")
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Edit')")
    await page.value("document.querySelector('textarea[aria-label=name]').select()")
    await page.type(json.dumps(HOSTILE[0]))
    check("controls of the editor have names", await page.controls_without_name() == [])
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Add to the draft')")
    await page.wait("/Artist 3/.test(document.querySelector('main pre')?.innerText ?? '')")
    await page.picture(pictures / "draft.png")
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Commit')")
    await page.wait("[...document.querySelectorAll('button')].some((one) => one.innerText.startsWith('Undo'))")
    shown = subprocess.run([tool, "query", store, "Artist", "--where", 'code == "a3"', "--format", "json"], check=True,
                           capture_output=True, text=True).stdout
    check("an edit is committed", "onerror" in shown, shown)
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText.startsWith('Undo'))")
    await page.wait("[...document.querySelectorAll('button')].some((one) => one.innerText === 'Commit')")
    await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Commit')")
    await page.wait("/Nothing is changed/.test(document.querySelector('main').innerText)")
    shown = subprocess.run([tool, "query", store, "Artist", "--where", 'code == "a3"', "--format", "json"], check=True,
                           capture_output=True, text=True).stdout
    check("an edit is undone", "Artist 3" in shown, shown)
    check("no value of a draft is run", await page.value("window.__pwned === undefined && window.__violations.length === 0"))
    inspector.end()


async def foreign(inspector):
    """Pages of other sites, and names that lead to this machine."""
    async with Browser(chromium, "--host-resolver-rules=MAP evil.test 127.0.0.1") as browser:
        page = await browser.page()
        await page.open(f"http://evil.test:{inspector.port}/")
        await asyncio.sleep(1)
        answers = [event["response"] for event in page.events("Network.responseReceived") if "evil.test" in event["response"]["url"]]
        check("a foreign name is refused", bool(answers) and all(answer["status"] == 403 for answer in answers), str(answers))
        # A page of another site asks in all the ways that it has.
        await page.open("data:text/html,<title>evil</title>")
        await page.wait("document.title === 'evil'")
        base = f"http://127.0.0.1:{inspector.port}"
        read = await page.value(f"fetch('{base}/types.json').then((one) => one.text()).catch(() => 'refused')")
        check("a foreign page reads nothing", read == "refused", read)
        await page.value(f"fetch('{base}/session', {{method: 'POST', mode: 'no-cors', body: '{{}}'}}).catch(() => 0)")
        loaded = await page.value(
            f"new Promise((done) => {{ const one = document.createElement('script'); one.src = '{base}/inspector.js'; "
            "one.onload = () => done(true); one.onerror = () => done(false); document.head.append(one) })")
        check("a foreign page loads no script", loaded is False)
        statuses = {event["response"]["status"] for event in page.events("Network.responseReceived")
                    if base in event["response"]["url"]}
        check("each of its requests is refused", statuses <= {403}, str(statuses))


async def measured(directory):
    store = f"lmdb:{directory}/many"
    start = time.monotonic()
    imported(directory, store, "Place", ({"name": f"Place {n:07}", "stars": n % 1000, "price": n / 7,
                                          "note": f"A note about place {n}"} for n in range(items)))
    run("index", "add", store, "Place", "stars")
    print(f"  {items} items in {time.monotonic() - start:.0f} s")
    inspector = Inspector(store)
    async with Browser(chromium) as browser:
        page = await signed_in(browser, inspector)
        figures = {}
        await page.open(f"http://127.0.0.1:{inspector.port}/?type=Place")
        await page.wait("document.querySelectorAll('.row').length > 20 && document.querySelectorAll('.row')[2].innerText.includes('Place')")
        figures["first rows after navigation, ms"] = await page.value(
            "Math.round(performance.getEntriesByType('resource').filter((one) => one.name.includes('/rows.json'))[0].responseEnd)")
        figures["first contentful paint, ms"] = await page.value(
            "Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1)")
        await page.wait(f"document.querySelector('.plan').innerText.includes('{items:,} items')", 30)

        async def timed(name, act, shown):
            await page.value("window.__start = performance.now(); window.__end = 0; clearInterval(window.__timer);"
                             f"window.__timer = setInterval(() => {{ if (!window.__end && ({shown})) window.__end = performance.now() }}, 1); 0")
            await act()
            await page.wait("window.__end", 30)
            figures[name] = round(await page.value("window.__end - window.__start"))

        await page.value("document.querySelector('.grid').focus()")
        await timed("the last page by End, ms", lambda: page.key("End"),
                    f"[...document.querySelectorAll('.row')].at(-1)?.innerText.includes('Place {items - 1:07}')")
        await page.picture(pictures / "many.png")
        await timed("the middle by the scroll bar, ms",
                    lambda: page.value("(() => { const grid = document.querySelector('.grid'); grid.scrollTop = grid.scrollHeight / 2 })()"),
                    f"[...document.querySelectorAll('.row')].some((row) => /Place 0?{str(items // 2)[0]}|Place 0*{str(items // 2 - 1)[0]}/.test(row.innerText)) && !document.querySelector('.row .dim')")

        async def filtered():
            await page.value("document.querySelector('input.filter').value = 'stars == 7'")
            await page.value("document.querySelector('form.bar').requestSubmit()")
        await timed("a filter by an index, rows and count, ms", filtered,
                    f"document.querySelector('.plan')?.innerText.startsWith('{items // 1000:,} items') && document.querySelectorAll('.row').length > 5")
        memory = inspector.memory()
        for name, value in memory.items():
            figures[f"memory of the inspector, {name}, MB"] = round(value)
        await page.open(f"http://127.0.0.1:{inspector.port}/?type=Place&where=note%20CONTAINS%20%22999999%22")
        await page.wait("/items|gave|given up/.test(document.querySelector('.plan')?.innerText + document.querySelector('.fault')?.innerText)", 30)
        print("  a filter without an index:", await page.value("document.querySelector('.plan').innerText + document.querySelector('.fault').innerText"))
        for name, value in figures.items():
            print(f"  {name}: {value}")
        # A writer alone, and beside a page that follows its commits and reads rows: in turn, because machines are busy.
        times = {False: [], True: []}
        for number in range(10):
            isWatched = number % 2 == 1
            if isWatched:
                await go(page, inspector, "type=Place&sort=stars")
                await page.wait("/items/.test(document.querySelector('.plan')?.innerText ?? '')", 30)
                await page.click("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Live')")
            start = time.monotonic()
            process = await asyncio.create_subprocess_exec(
                tool, "update", store, "Place", "--where", "stars < 200", "--set", f"price={number}", "--yes",
                stdout=subprocess.DEVNULL)
            ending = asyncio.create_task(process.wait())
            ending.add_done_callback(lambda _: times[isWatched].append(time.monotonic() - start))
            while not ending.done():
                if isWatched:
                    await page.value("fetch('/rows.json?type=Place&offset=5000&limit=100').then((one) => one.text()).then(() => 0)")
                await asyncio.wait([ending], timeout=0.2)
            await asyncio.sleep(0)
            if isWatched:
                await page.open("about:blank")
        alone, watched = (sorted(times[key])[2] for key in [False, True])
        print(f"  a writer beside it takes {watched:.2f} s, alone {alone:.2f} s: {100 * (watched / alone - 1):+.1f} % (medians of 5 in turn)")
    inspector.end()


async def documents(browser, directory):
    """The pictures of the README and of the article, in both appearances."""
    store = f"lmdb:{directory}/restaurants"
    chance = random.Random(7)
    names = [f"{first} {second}" for first in ["Golden", "Little", "Blue", "Old", "Royal", "Green", "Lucky", "Silver"]
             for second in ["Lotus", "Garden", "Harbour", "Lantern", "Kitchen", "Orchard", "Elephant", "Pepper"]]
    cuisines = ["Thai", "Italian", "Indian", "Mexican", "Japanese", "Greek"]
    boroughs = ["Bronx", "Brooklyn", "Manhattan", "Queens"]
    imported(directory, store, "Owner", [{"code": n, "name": f"{first} {last}"} for n, (first, last) in enumerate(
        (first, last) for first in ["Ada", "Noor", "Tom", "Mei"] for last in ["Baker", "Ito", "Rossi"])], "--key", "code")
    imported(directory, store, "Restaurant", [
        {"permit": 40000 + n, "name": chance.choice(names), "cuisine": chance.choice(cuisines), "stars": chance.randint(1, 5),
         "borough": chance.choice(boroughs), "opened": {"$date": 86400000 * chance.randint(12000, 20000)},
         "owner_code": chance.randrange(12)} for n in range(12000)],
        "--key", "permit", "--relation", "owner=Owner.code:owner_code", "--inverse", "owner=restaurants")
    run("index", "add", store, "Restaurant", "cuisine", "stars")
    inspector = Inspector(store)
    page = await signed_in(browser, inspector)
    await page.call("Emulation.setDeviceMetricsOverride", width=1420, height=560, deviceScaleFactor=1, mobile=False)
    for name, scheme in [("documents", "light"), ("documents~dark", "dark")]:
        await page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        await go(page, inspector, "type=Restaurant&where=cuisine%20%3D%3D%20%22Thai%22%20AND%20stars%20%3E%203&sort=name&sort=opened:desc")
        await page.wait("/^[0-9,]+ items .*index on cuisine/.test(document.querySelector('.plan')?.innerText ?? '')")
        await page.picture(pictures / f"{name}.png")
    check("the pictures of the documents are made", inspector.end() == 130)


async def main():
    with tempfile.TemporaryDirectory() as directory:
        stores = make_stores(directory)
        inspector = Inspector(*stores)
        async with Browser(chromium) as browser:
            page = await signed_in(browser, inspector)
            await reader(page, inspector, stores, browser)
            await hostile(page, inspector)
            await changing(browser, stores[1])
            await documents(browser, directory)
            problems = [event["exceptionDetails"]["text"] + str(event["exceptionDetails"].get("exception", {}).get("description"))
                        for event in page.events("Runtime.exceptionThrown")]
            check("the script threw nothing", problems == [], str(problems))
        await foreign(inspector)
        check("Ctrl-C ends the inspector", inspector.end() == 130)
        if items:
            await measured(directory)
    print(f"{passed} checks passed, {len(failed)} failed. Pictures are in {pictures}.")
    sys.exit(1 if failed else 0)


asyncio.run(main())
