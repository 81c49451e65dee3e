"""Typesets the lists that it reads from standard input, in its working folder.

Runs as `python -m trilha.training.classes.attendance_lists.paper`.

It has no environment and no access outside that folder, because names and titles may be hostile.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec
import typst

from trilha.core.sandbox.serving import serve
from trilha.training.certificates.designs import font_folders


def make_answer() -> Callable[[bytes], bytes]:
    folder = Path.cwd()
    fonts = typst.Fonts(include_system_fonts=False, font_paths=[str(each) for each in font_folders()])
    compiler = typst.Compiler(
        folder / "list.typ",
        root=folder,
        font_paths=fonts,
        ignore_system_fonts=True,
        package_path=folder,
        package_cache_path=folder,
    )

    def answer(message: bytes) -> bytes:
        try:
            made = compiler.compile(sys_inputs={"paper": message.decode()})
        except typst.TypstError as error:
            return msgspec.msgpack.encode({"error": str(error)[:500]})
        return msgspec.msgpack.encode({"made": made})

    return answer


if __name__ == "__main__":
    serve(make_answer)
