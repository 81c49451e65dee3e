"""Where the files of imports are kept until the worker has done with them."""

from pathlib import Path
from uuid import uuid4

from trilha.core.files import make_folder


class ImportFiles:
    """A folder that only this program reads: the files have passwords and documents in them."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "imports"

    def keep(self, raw: bytes) -> Path:
        """Where it is kept. The import removes it at its end; who does not start one removes it."""
        folder = self._folder.resolve()
        make_folder(folder, 0o700)
        path = folder / f"{uuid4()}.csv"
        path.touch(0o600)
        path.write_bytes(raw)
        return path
