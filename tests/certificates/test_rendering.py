"""Certificates become PDFs, once each."""

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from certificates.paperwork import Paperwork
from conftest import World


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    yield made
    await made.press.close()


async def test_a_certificate_is_rendered_once_and_kept(paperwork: Paperwork) -> None:
    [certificate_id] = await paperwork.issue()

    assert await paperwork.run() == 1
    assert await paperwork.run() == 0

    row = (await paperwork.rows())[certificate_id]
    pdf = await paperwork.pdf(certificate_id)
    assert pdf.startswith(b"%PDF-1.7")
    assert row["file_sha256"] == hashlib.sha256(pdf).digest()
    assert row["file_size"] == len(pdf)
    assert row["render_error"] is row["render_due_at"] is row["render_lease_until"] is None
    assert paperwork.stored() == {row["file_key"]}
