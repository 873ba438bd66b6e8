"""A headless Chromium, driven over its DevTools protocol."""

import asyncio
import base64
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

import websockets


class Browser:
    """A browser with a profile of its own. Without a sandbox, because it may run as root: only for our own pages."""

    def __init__(self, executable, *flags):
        self.profile = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [executable, "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile}", "--window-size=1280,860", *flags, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.answers, self.events, self.number = {}, [], 0

    async def __aenter__(self):
        place = pathlib.Path(self.profile, "DevToolsActivePort")
        for _ in range(300):
            if place.exists() and len(place.read_text().split()) == 2:
                break
            await asyncio.sleep(0.1)
        port, path = place.read_text().split()
        self.socket = await websockets.connect(f"ws://127.0.0.1:{port}{path}", max_size=None)
        self.reader = asyncio.create_task(self.read())
        return self

    async def __aexit__(self, *_):
        # The executable may be a script that started the browser, so that ending the process would leave the browser.
        await self.call("Browser.close")
        self.reader.cancel()
        await self.socket.close()
        self.process.wait(10)
        shutil.rmtree(self.profile, ignore_errors=True)

    async def read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.answers.pop(message["id"]).set_result(message)
            else:
                self.events.append(message)

    async def call(self, method, session=None, **parameters):
        self.number += 1
        answer = asyncio.get_running_loop().create_future()
        self.answers[self.number] = answer
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        await self.socket.send(json.dumps(message))
        result = await asyncio.wait_for(answer, 30)
        if "error" in result:
            raise RuntimeError(f"{method}: {result['error']}")
        return result["result"]

    async def page(self):
        target = await self.call("Target.createTarget", url="about:blank")
        session = (await self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True))["sessionId"]
        page = Page(self, session)
        for domain in ["Page", "Runtime", "Network", "Log", "Accessibility"]:
            await page.call(f"{domain}.enable")
        return page


class Page:
    """A tab."""

    KEYS = {"ArrowUp": (38, ""), "Enter": (13, "\r"), "Tab": (9, ""), "End": (35, ""), "Home": (36, ""), "ArrowDown": (40, ""),
            "PageDown": (34, ""), " ": (32, " "), "Escape": (27, "")}

    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    async def call(self, method, **parameters):
        return await self.browser.call(method, self.session, **parameters)

    def events(self, method):
        return [event["params"] for event in self.browser.events
                if event["method"] == method and event.get("sessionId") == self.session]

    async def open(self, url):
        """Begins to show another page; returns when it has taken the place of the present one."""
        await self.value("window.__left = true")
        await self.call("Page.navigate", url=url)
        await self.wait("!window.__left")

    async def value(self, script):
        result = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True,
                                 userGesture=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def wait(self, script, seconds=15):
        """Waits until an expression is true; returns how many milliseconds that took."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            try:
                if await self.value(f"!!({script})"):
                    return (time.monotonic() - start) * 1000
            except RuntimeError:
                pass  # The page is just changing.
            await asyncio.sleep(0.01)
        shown = await self.value("document.getElementById('status').innerText"
                                 " + document.querySelector('main').innerText.slice(0, 400)")
        raise AssertionError(f"never true: {script}\n{shown}")

    async def key(self, key, shift=False):
        code, text = self.KEYS.get(key, (ord(key.upper()[0]), key))
        common = {"key": key, "code": key if len(key) > 1 else "Space" if key == " " else "", "windowsVirtualKeyCode": code,
                  "modifiers": 8 if shift else 0}
        await self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        await self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    async def tab_to(self, condition, most=80):
        """Presses Tab until an expression about `one`, the element with the focus, is true; false if none is reached."""
        for _ in range(most):
            await self.key("Tab")
            if await self.value(f"((one) => !!({condition}))(document.activeElement)"):
                return True
        return False

    async def type(self, text):
        await self.call("Input.insertText", text=text)

    async def click(self, script):
        """Clicks the middle of an element, as a mouse does."""
        box = await self.value(f"(() => {{ const node = {script}; node.scrollIntoView({{block: 'nearest'}}); "
                               "const box = node.getBoundingClientRect(); "
                               "return [box.x + Math.min(box.width, 60) / 2, box.y + box.height / 2] })()")
        for kind in ["mousePressed", "mouseReleased"]:
            await self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    async def picture(self, file):
        await self.wait("!document.querySelector('.cell.dim')")
        data = await self.call("Page.captureScreenshot", format="png")
        pathlib.Path(file).write_bytes(base64.b64decode(data["data"]))

    async def controls_without_name(self):
        nodes = (await self.call("Accessibility.getFullAXTree"))["nodes"]
        roles = {"button", "textbox", "combobox", "link", "grid", "progressbar", "img", "checkbox", "searchbox", "dialog",
                 "listbox", "option", "columnheader", "navigation", "region", "DisclosureTriangle"}
        return [node.get("role", {}).get("value") for node in nodes
                if not node.get("ignored") and node.get("role", {}).get("value") in roles
                and not node.get("name", {}).get("value")]
