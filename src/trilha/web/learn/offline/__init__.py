"""Learners' pages as an app: its manifest and icons, and the pages that work without a connection.

`worker.js` is the service worker of these pages, together with `push.js`, which shows push messages. Modules
are saved on the content origin: see `trilha.web.player.offline`.
"""
