"""The player's frame: modules run here, on hosts of their own (the content origin).

Content there cannot reach the application: it has no cookie, no session and no page of ours. The only
authority is the token of a launch, in the path. `surface` declares the hosts and their headers, `pages` the
page of each module type, `files` and `media` send stored files, and `reports` saves a browser's reports.

To add a module type:

1. a folder beside `scorm`, with `page.html` (it extends `player/shell.html`), its own script
   `page.js` (a module that imports the shared scripts from `../scripts/`), and `page.py` with
   `async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage`;
2. one line in `pages.PAGES`;
3. if it has reports of its own: `reports.py` with `routes`, and one line in `surface.FEATURES`.

Scripts and style sheets of every folder are served under `/assets/{version}/` by their path below this
folder; an npm package needs a line in `assets.PACKAGES`.
"""

from trilha.web.player import errors as errors
