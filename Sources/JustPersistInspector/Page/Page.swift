/// The page, its script and its style: constants, so that a program of one file can serve them.
///
/// The page contains nothing of a store. The script asks for that with the token, and puts it into the page as text.
enum Page {
    static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>JustPersist inspector</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/inspector.css">
        <script type="module" src="/inspector.js"></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        <nav id="nav" aria-label="Stores and types"></nav>
        <main id="main" tabindex="-1"><p>Loading…</p></main>
        <div id="status" role="status" aria-live="polite"></div>
        <noscript>The inspector needs JavaScript.</noscript>
        </body>
        </html>
        """
}
