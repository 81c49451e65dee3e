"""/learn/certificates, and the certificate's part of a course page."""

from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from msgspec import Meta, Struct

from trilha.access.permissions.roles import Permission, may
from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.lists import fetch_page
from trilha.core.types import Timestamp
from trilha.core.web.answers import Answer, Html, Redirect
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Routes
from trilha.training.certificates import learner, queries
from trilha.training.certificates.learner import MINE
from trilha.training.certificates.links import Links
from trilha.web.learn.certificates import linkedin
from trilha.web.learn.view import LearnView

routes = Routes("My certificates", "The viewer's certificates.")
PATH = "/learn/certificates"
_ACCESS = may(Permission.LEARN)
# The course page polls this often, every 2 s, before it says that the certificate takes longer.
MAX_POLLS = 30


class Poll(Struct, frozen=True):
    """`looks` counts the earlier polls. `brief`: the page has a link to the certificate already."""

    looks: Annotated[int, Meta(ge=0, le=1000)] = 0
    brief: bool = False


@routes.get("/certificates", access=_ACCESS)
async def list_my_certificates(tx: Tx, view: LearnView, query: ListQuery) -> Html:
    """List certificates, the newest first."""
    page = await fetch_page(tx, MINE, query, view.viewer.user_id)
    following = f"{PATH}?{urlencode({'cursor': page.next_cursor})}" if page.next_cursor else ""
    now = Timestamp.of(tx.now)
    part = "_cards" if view.page.fragment and query.cursor else "list"
    return view.show(
        f"learn/certificates/{part}.html",
        certificates=page.data,
        badges=[each for each in page.data if each.has_badge and each.status(now) == "VALID"],
        following=following,
        now=now,
    )


@routes.get("/certificates/{certificate_id}", access=_ACCESS)
async def show_my_certificate(tx: Tx, view: LearnView, links: Links, certificate_id: UUID) -> Html:
    """Show a certificate, with its download and its public link."""
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
    """Redirect to the PDF by a temporary link."""
    await learner.get(tx, view.viewer.user_id, certificate_id)
    link = links.pdf(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)


@routes.get("/certificates/{certificate_id}/badge", access=_ACCESS)
async def download_my_badge(tx: Tx, view: LearnView, links: Links, certificate_id: UUID) -> Answer:
    """Redirect to the signed badge (Open Badges 3.0) by a temporary link."""
    await learner.get(tx, view.viewer.user_id, certificate_id)
    link = links.badge(tx.tenant_id, await queries.get(tx, certificate_id), tx.now)
    if link is None:
        raise NotFound("certificate_not_found")
    return Redirect(link)


@routes.get("/enrollments/{enrollment_id}/certificate", access=_ACCESS)
async def show_preparation(tx: Tx, view: LearnView, enrollment_id: UUID, query: Poll) -> Html:
    """Show the state of a course's certificate: a part of the course page, polled until the PDF is ready."""
    certificate = await learner.find_of_enrollment(tx, view.viewer.user_id, enrollment_id)
    if certificate is None:
        raise NotFound("certificate_not_found")
    template = "_of_course" if view.page.fragment else "preparing"
    return view.show(
        f"learn/certificates/{template}.html",
        certificate=certificate,
        now=Timestamp.of(tx.now),
        looks=query.looks + 1,
        most_looks=MAX_POLLS,
        brief=query.brief,
    )
