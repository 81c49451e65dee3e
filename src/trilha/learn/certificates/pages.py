"""/learn/certificates, and what the page of a course tells of its certificate."""

from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.certificates import learner, queries
from trilha.certificates.learner import MINE
from trilha.certificates.links import Links
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.learn.certificates import linkedin
from trilha.learn.view import LearnView
from trilha.sessions.permissions import Permission, may

routes = Routes("My certificates", "What a person was issued.")
PATH = "/learn/certificates"
_ACCESS = may(Permission.LEARN)
# So often the page of a course asks, every 2 s, before it says that it takes longer.
MOST_LOOKS = 30


class Looks(Struct, frozen=True):
    """How often it was asked before."""

    looks: Annotated[int, Meta(ge=0, le=1000)] = 0


@routes.get("/certificates", access=_ACCESS)
async def list_my_certificates(tx: Tx, view: LearnView, query: ListQuery) -> Html:
    """All of them, the newest first."""
    page = await fetch_page(tx, MINE, query, view.viewer.user_id)
    following = f"{PATH}?{urlencode({'cursor': page.next_cursor})}" if page.next_cursor else ""
    part = "_cards" if view.page.fragment and query.cursor else "list"
    return view.show(
        f"learn/certificates/{part}.html",
        certificates=page.data,
        following=following,
        now=Timestamp.of(tx.now),
    )


@routes.get("/certificates/{certificate_id}", access=_ACCESS)
async def show_my_certificate(tx: Tx, view: LearnView, links: Links, certificate_id: UUID) -> Html:
    """One of them: to download, and to show to others."""
    certificate = await learner.get(tx, view.viewer.user_id, certificate_id)
    public = links.verification(certificate.code)
    return view.show(
        "learn/certificates/certificate.html",
        certificate=certificate,
        now=Timestamp.of(tx.now),
        public=public,
        linkedin=linkedin.address(certificate, public, view.viewer.time_zone),
    )


@routes.get("/certificates/{certificate_id}/pdf", access=_ACCESS)
async def download_my_pdf(tx: Tx, view: LearnView, links: Links, certificate_id: UUID) -> Answer:
    """On to the file, by a link that is good for a while."""
    await learner.get(tx, view.viewer.user_id, certificate_id)
    link = links.pdf(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)


@routes.get("/certificates/{certificate_id}/badge", access=_ACCESS)
async def download_my_badge(tx: Tx, view: LearnView, links: Links, certificate_id: UUID) -> Answer:
    """On to the signed credential (Open Badges 3.0)."""
    await learner.get(tx, view.viewer.user_id, certificate_id)
    link = links.badge(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)


@routes.get("/enrollments/{enrollment_id}/certificate", access=_ACCESS)
async def show_making(tx: Tx, view: LearnView, enrollment_id: UUID, query: Looks) -> Html:
    """Whether the certificate of a completed course is there: a part of the course's page, asked for again
    until it is."""
    certificate = await learner.find_of_enrollment(tx, view.viewer.user_id, enrollment_id)
    if certificate is None:
        raise NotFound("certificate_not_found")
    template = "_of_course" if view.page.fragment else "making"
    return view.show(
        f"learn/certificates/{template}.html",
        certificate=certificate,
        now=Timestamp.of(tx.now),
        looks=query.looks + 1,
        most_looks=MOST_LOOKS,
    )
