"""Makes an inspector's bundle: a ZIP file of papers, with an index that has the SHA-256 of each.

What is read is bounded: rows of each part, and bytes. The index says what is left out.
"""

import asyncio
import codecs
import hashlib
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct

from trilha.core.clock import in_zone
from trilha.core.database import Database, Tx
from trilha.core.file_store import FileStore
from trilha.core.sandbox.pool import ProcessDied
from trilha.core.sealed_files import SealedFiles
from trilha.core.spreadsheets import csv_lines
from trilha.training.certificates import archive
from trilha.training.certificates.schema import CertificateFile
from trilha.training.classes.attendance_lists import queries as attendance_lists
from trilha.training.classes.attendance_lists import scans, signing
from trilha.training.classes.attendance_lists.paper.printing import AttendancePapers, NotPrinted
from trilha.training.classes.attendance_lists.schema import SessionHead
from trilha.training.practice import photos
from trilha.training.practice import queries as practice
from trilha.training.qualifications import queries as qualifications
from trilha.training.reports.exports import bundle_rows
from trilha.training.reports.exports.bundle_rows import MAX_ROWS, BundleFilter
from trilha.training.reports.exports.bundle_words import WORDS, BundleWords
from trilha.training.signatures import drawings
from trilha.training.signatures import queries as signatures

# A browser and a ZIP program open this much everywhere.
MAX_BYTES = 2 * 1024**3
_PIECE = 256 * 1024
_ENDINGS = {"application/pdf": "pdf", "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}
Pieces = Callable[[], AsyncIterator[bytes]]
Row = Mapping[str, Any]


class Missing(Exception):
    """A file that cannot be in the bundle. The message is for the index."""


class Entry(Struct, frozen=True):
    """A file of the bundle: its path, the part it belongs to, what it is about, and its bytes."""

    path: str
    part: str
    about: str
    pieces: Pieces


class BundleMaking:
    """The state of a bundle in progress. `rows` is the number of files, and `progress` in percent."""

    def __init__(self, folder: Path, store: FileStore, papers: AttendancePapers) -> None:
        self._folder = folder
        self._store = store
        self._papers = papers
        self.rows = 0
        self.progress = 0

    async def make(self, database: Database, tenant_id: UUID, bundle_filter: BundleFilter) -> Path:
        source = _Source(database, tenant_id, bundle_filter, self._store, self._papers)
        entries = await source.list_entries()
        target = self._folder / "file.zip"
        index: list[tuple[object, ...]] = []
        size = 0
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1, allowZip64=True) as bundle:
            for number, entry in enumerate(entries):
                written = 0 if size > MAX_BYTES else await self._write(bundle, entry, index)
                if size > MAX_BYTES:
                    index.append((entry.path, entry.part, entry.about, "", "", source.words.left_out))
                size += written
                self.rows = number + 1
                self.progress = 95 * self.rows // max(len(entries), 1)
            index += [("", part, "", "", "", source.words.left_out) for part in source.cut]
            heads = source.words.heads["index"]
            bundle.writestr(source.words.tables["index"], source.write_table([heads, *index]))
        return target

    async def _write(self, bundle: zipfile.ZipFile, entry: Entry, index: list[tuple[object, ...]]) -> int:
        """Returns how many bytes were written. What cannot be read is a line of the index alone."""
        digest, size = hashlib.sha256(), 0
        pieces = entry.pieces()
        try:
            first = await anext(pieces, b"")
        except (FileNotFoundError, Missing) as error:
            index.append((entry.path, entry.part, entry.about, "", "", str(error) or "–"))
            return 0
        with bundle.open(entry.path, "w", force_zip64=True) as file:
            piece: bytes | None = first
            while piece is not None:
                digest.update(piece)
                size += len(piece)
                await asyncio.to_thread(file.write, piece)
                piece = await anext(pieces, None)
        index.append((entry.path, entry.part, entry.about, digest.hexdigest(), size, ""))
        return size


class _Source:
    """Reads the parts of one bundle, each in a transaction of its own."""

    def __init__(
        self,
        database: Database,
        tenant_id: UUID,
        bundle_filter: BundleFilter,
        store: FileStore,
        papers: AttendancePapers,
    ) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._filter = bundle_filter
        self._files = SealedFiles(store, database.keyring)
        self._papers = papers
        self._zone = ZoneInfo(bundle_filter.time_zone)
        self._company = ""
        self.words: BundleWords = WORDS[bundle_filter.locale]
        # The parts of which not everything is here.
        self.cut: list[str] = []

    async def list_entries(self) -> list[Entry]:
        async with self._database.transaction(self._tenant_id, read_only=True) as tx:
            self._company = await tx.value("SELECT name FROM tenants WHERE id = :tenant")
            certificates = await self._read(tx, "certificates")
            sessions = await self._read(tx, "sessions")
            assessments = await self._read(tx, "assessments")
            courses = {each["course_id"] for each in (*certificates, *sessions, *assessments)}
            courses |= {self._filter.course_id} - {None}
            projects = await self._read(tx, "projects", courses=list(courses))
            scanned = await self._read(tx, "scans")
            questions = await self._read(tx, "questions")
            instructors = await self._read(tx, "instructors", sessions=[each["id"] for each in sessions])
            people = {each["user_id"] for each in instructors}
            people |= {each["assessor_id"] for each in assessments} | ({self._filter.user_id} - {None})
            held = await self._read(tx, "qualifications", people=list(people))
            readme = self._describe(await self._name_scope(tx), tx.now)
        return [
            self._text(self.words.tables["readme"], readme),
            *(self._certificate(each) for each in certificates),
            *(self._project(each) for each in projects),
            *await self._attendance(sessions),
            *(self._scan(each) for each in scanned),
            *await self._checklists(assessments),
            *self._qualifications(held),
            self._table("questions", [self._question(each) for each in questions]),
        ]

    async def _read(self, tx: Tx, part: str, **params: Any) -> Sequence[Row]:
        rows = await bundle_rows.read(tx, part, self._filter, **params)
        if len(rows) > MAX_ROWS:
            self.cut.append(part)
        return rows[:MAX_ROWS]

    async def _name_scope(self, tx: Tx) -> list[str]:
        """Returns the names of the course, the class and the person, where they are chosen."""
        names = []
        for table, column, id in (
            ("courses", "title", self._filter.course_id),
            ("classes", "title", self._filter.class_id),
            ("users", "name", self._filter.user_id),
        ):
            if id is not None:
                sql = f"SELECT {column} FROM {table} WHERE tenant_id = :tenant AND id = :id"  # noqa: S608
                names.append(await tx.value(sql, id=id) or str(id))
        return names

    def _describe(self, names: Sequence[str], now: datetime) -> str:
        period = " – ".join(
            self._day(each) if each else "…" for each in (self._filter.since, self._filter.until)
        )
        scope = "\n".join([*names, *([period] if self._filter.since or self._filter.until else [])])
        return self.words.readme.format(
            company=self._company, made=self._moment(now.isoformat()), scope=scope
        )

    def write_table(self, rows: Sequence[Sequence[object]]) -> bytes:
        separator = ";" if self._filter.locale == "pt-BR" else ","
        cells = [["" if value is None else value for value in row] for row in rows]
        return codecs.BOM_UTF8 + csv_lines(cells, separator).encode()

    def _table(self, name: str, rows: Sequence[Sequence[object]]) -> Entry:
        content = self.write_table([self.words.heads[name], *rows])
        return Entry(self.words.tables[name], name, "", _of_bytes(content))

    def _text(self, path: str, text: str) -> Entry:
        return Entry(path, "readme", "", _of_bytes(text.encode()))

    def _file(self, path: str, part: str, about: str, key: str | None, problem: str) -> Entry:
        async def read() -> AsyncIterator[bytes]:
            if key is None:
                raise Missing(problem)
            try:
                async for piece in self._files.read(key):
                    yield piece
            except FileNotFoundError:
                raise Missing(self.words.missing) from None

        return Entry(path, part, about, read)

    def _certificate(self, row: Row) -> Entry:
        names = CertificateFile.__struct_fields__
        file = CertificateFile(**{name: row[name] for name in names})
        path = f"{self.words.certificates}/{archive.name_of(file)}"
        return self._file(path, "certificates", row["course_title"], row["file_key"], self.words.not_rendered)

    def _project(self, row: Row) -> Entry:
        title = archive.clean_name(row["course_title"])
        path = f"{self.words.projects}/{title} - {self.words.version} {row['number']}.pdf"
        return self._file(path, "projects", row["course_title"], row["file_key"], self.words.missing)

    async def _attendance(self, sessions: Sequence[Row]) -> list[Entry]:
        lines: list[list[object]] = []
        entries = []
        for session in sessions:
            async with self._database.transaction(self._tenant_id, read_only=True) as tx:
                head = await attendance_lists.find_head(tx, session["id"])
                people = await self._read(tx, "attendance", session_id=session["id"])
                signed = await signatures.list_newest(
                    tx, signing.PURPOSE, session["id"], [each["user_id"] for each in people]
                )
            if head is None:
                continue
            name = (
                f"{self._day(session['starts_at'])} - {archive.clean_name(head.title)} - {str(head.id)[:8]}"
            )
            about = f"{head.course}: {head.title}"
            pdf = self._print(head, people)
            entries.append(Entry(f"{self.words.attendance}/{name}.pdf", "attendance", about, pdf))
            for person in people:
                signature = signed.get(person["user_id"])
                if signature and signature.content and signature.content.strokes:
                    drawing = self._drawing(signature.id, person["name"])
                    path = (
                        f"{self.words.attendance}/{self.words.signatures}/"
                        f"{archive.clean_name(person['name'])} - {str(signature.id)[:8]}.svg"
                    )
                    entries.append(Entry(path, "attendance", about, drawing))
                method = self.words.methods.get(person["method"] or "", "")
                moments = (self._moment(session["starts_at"]), self._moment(person["recorded_at"]))
                lines.append(
                    [
                        *(moments[0], head.title, head.course, person["name"], person["cpf"]),
                        *(person["minutes"], method, moments[1]),
                    ]
                )
        return [self._table("attendance", lines), *entries]

    def _drawing(self, signature_id: UUID, name: str) -> Pieces:
        """Draws a signature only when its file is written: all drawings together would fill the memory."""

        async def read() -> AsyncIterator[bytes]:
            async with self._database.transaction(self._tenant_id, read_only=True) as tx:
                signature = await signatures.find(tx, signature_id)
            if signature is None or signature.content is None:
                raise Missing(self.words.missing)
            yield str(drawings.draw(signature.content.strokes, name)).encode()

        return read

    def _print(self, head: SessionHead, people: Sequence[Row]) -> Pieces:
        words = self.words
        rows = [
            [
                str(number),
                each["name"],
                each["cpf"] or "–",
                f"{each['minutes']} min, {words.methods[each['method']]}" if each["minutes"] else "–",
            ]
            for number, each in enumerate(people, 1)
        ]
        paper: dict[str, Any] = {
            "lang": self._filter.locale[:2],
            "title": words.list_title,
            "company": self._company,
            "foot": f"{head.title} · {head.id}",
            "facts": [
                (words.course, head.course),
                (words.class_title, head.title),
                (words.session, f"{self._moment(head.starts_at)} – {self._moment(head.ends_at)}"),
                (words.room, head.room or "–"),
                (words.instructors, ", ".join(head.instructors) or "–"),
            ],
            "header": ["", words.name, "CPF", words.minutes],
            "rows": rows,
            "instructors_title": words.signed_by_instructors,
            "instructors": list(head.instructors) or [" "],
        }

        async def read() -> AsyncIterator[bytes]:
            try:
                yield await self._papers.print(self._tenant_id, paper)
            except (NotPrinted, ProcessDied):
                raise Missing(words.not_printed) from None

        return read

    def _scan(self, row: Row) -> Entry:
        ending = _ENDINGS[row["media_type"]]
        day = self._day(row["starts_at"])
        path = (
            f"{self.words.attendance}/{self.words.scans}/"
            f"{day} - {archive.clean_name(row['title'])} - {str(row['id'])[:8]}.{ending}"
        )
        key = scans.build_key(self._tenant_id, row["id"])
        return self._file(path, "scans", row["title"], key, self.words.missing)

    async def _checklists(self, assessments: Sequence[Row]) -> list[Entry]:
        async with self._database.transaction(self._tenant_id, read_only=True) as tx:
            ids = [each["id"] for each in assessments]
            rated, taken = await practice.list_ratings(tx, ids), await practice.list_photos(tx, ids)
            signed = await signatures.list_by_id(
                tx,
                [
                    id
                    for each in assessments
                    for id in (each["assessor_signature_id"], each["learner_signature_id"])
                    if id
                ],
            )
        ratings = {(each.assessment_id, each.item_id): each for each in rated}
        pictures = {(each.assessment_id, each.item_id): each for each in taken}
        lines: list[list[object]] = []
        entries = []
        for each in assessments:
            about = f"{each['name']}: {each['module_title']}"
            held = each["held_qualification"] or {}
            for item in each["items"]:
                key = (each["id"], UUID(item["id"]))
                rating, photo = ratings.get(key), pictures.get(key)
                lines.append(
                    [
                        *(each["name"], each["course_title"], each["module_title"], each["number"]),
                        *(each["assessed_on"], each["result"], self._moment(each["annulled_at"])),
                        *(each["assessor"], held.get("title"), held.get("issuing_body")),
                        *(held.get("register_number"), held.get("valid_until"), item["title"]),
                        item.get("criteria"),
                        rating and ("SATISFACTORY" if rating.satisfactory else "UNSATISFACTORY"),
                        *(rating and rating.note, photo and photo.sha256),
                        self._moment(each["assessor_signed_at"]),
                        *(self._moment(each["learner_signed_at"]), each["digest"]),
                    ]
                )
                if photo:
                    path = f"{self.words.checklists}/{self.words.photos}/{photo.id}.webp"
                    stored = photos.build_key(self._tenant_id, photo.id)
                    entries.append(self._file(path, "checklists", about, stored, self.words.missing))
            for id, name in (
                (each["assessor_signature_id"], each["assessor"]),
                (each["learner_signature_id"], each["name"]),
            ):
                signature = signed.get(id)
                if signature and signature.content and signature.content.strokes:
                    drawing = self._drawing(signature.id, name)
                    path = (
                        f"{self.words.checklists}/{self.words.signatures}/"
                        f"{archive.clean_name(name)} - {str(id)[:8]}.svg"
                    )
                    entries.append(Entry(path, "checklists", about, drawing))
        return [self._table("checklists", lines), *entries]

    def _qualifications(self, held: Sequence[Row]) -> list[Entry]:
        lines: list[list[object]] = []
        entries = []
        for each in held:
            path = ""
            if each["media_type"]:
                name = archive.clean_name(f"{each['name']} - {each['title']}")
                ending = _ENDINGS.get(each["media_type"], "bin")
                path = f"{self.words.qualifications}/{name} - {str(each['id'])[:8]}.{ending}"
                about = f"{each['name']}: {each['title']}"
                entries.append(Entry(path, "qualifications", about, self._document(each["id"])))
            lines.append(
                [
                    *(each["name"], each["title"], each["issuing_body"], each["register_number"]),
                    *(each["valid_from"], each["valid_until"], path),
                ]
            )
        return [self._table("qualifications", lines), *entries]

    def _document(self, id: UUID) -> Pieces:
        async def read() -> AsyncIterator[bytes]:
            async with self._database.transaction(self._tenant_id, read_only=True) as tx:
                document = await qualifications.read_document(tx, id)
            yield document.content

        return read

    def _question(self, row: Row) -> list[object]:
        asked, answered, closed = (
            self._moment(row[name]) for name in ("created_at", "answered_at", "closed_at")
        )
        return [asked, row["name"], row["course_title"], row["state"], answered, closed, row["messages"]]

    def _day(self, moment: str) -> str:
        return self._local(moment).date().isoformat()

    def _moment(self, moment: str | None) -> str:
        return "" if moment is None else self._local(moment).strftime("%Y-%m-%d %H:%M")

    def _local(self, moment: str) -> datetime:
        return in_zone(datetime.fromisoformat(moment), self._zone)


def _of_bytes(content: bytes) -> Pieces:
    async def read() -> AsyncIterator[bytes]:
        for start in range(0, max(len(content), 1), _PIECE):
            yield content[start : start + _PIECE]

    return read
