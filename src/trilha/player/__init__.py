"""The player: whatever is opened in a module runs here, on hosts of its own (the content origin).

What content can do there reaches nothing of the application: no cookie, no session, no page. All authority
is the token of a launch, in the path. `surface` says which hosts these are and how they answer, `pages` which
page a type of module has, `files` what packages and media hold, `reports` what a browser sends.

A type of module that gets a page of its own:

1. a folder beside `scorm`, with `page.html` (it extends `player/shell.html`), its own script
   `page.js` (a module that imports what is shared from `../scripts/`), and `page.py` with
   `async def make(tx: Tx, opened: Opened) -> LaunchPage`;
2. one line in `pages.PAGES`;
3. where it reports something of its own: `reports.py` with `routes`, and one line in `surface.FEATURES`.

Scripts and style sheets of every folder are served under `/assets/{version}/`, by their path below this one;
a package of npm by a line in `assets.PACKAGES`.
"""

from trilha.player import errors as errors
