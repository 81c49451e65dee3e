"""The pages of a secret: shown once after it was made, rotated, and listed while an earlier one still
works.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.access.api_keys.schema import ApiKey
from trilha.access.scim.tokens.schema import ScimToken
from trilha.core.database import Tx
from trilha.core.rotating_secrets import RotatingSecrets
from trilha.core.web.answers import Answer, Html
from trilha.kit import N_
from trilha.web.panel.confirm import Subject
from trilha.web.panel.secrets import handover
from trilha.web.panel.secrets.forms import Rotation
from trilha.web.panel.view import PanelView


class Owner(Subject, frozen=True, kw_only=True):
    """One kind of owner of secrets, such as API keys.

    `states` are the msgids of its states: live, expired, revoked, disabled. `too_late` (a msgid) is shown if
    it was revoked or disabled meanwhile.
    """

    table: RotatingSecrets
    states: Mapping[str, str] = {}
    too_late: str = ""

    def lead(self, tx: Tx, view: PanelView, owner_id: UUID, secret: str) -> Answer:
        """Redirects to the page that shows a new secret."""
        return handover.lead_to(tx, view, f"{self.address(owner_id)}/secret", owner_id, secret)

    async def show_secret(
        self, tx: Tx, view: PanelView, owner_id: UUID, template: str, **values: Any
    ) -> Html:
        """The page of a new secret. The template extends `panel/secrets/secret.html`."""
        owner = await self.find(tx, view, owner_id)
        secret, here = handover.find(tx, view, owner_id), self.address(owner_id)
        return handover.take_back(view, view.show(template, owner=owner, secret=secret, here=here, **values))

    async def show(
        self, tx: Tx, view: PanelView, owner: Any, state: str, template: str, **values: Any
    ) -> Html:
        """The page of an owner. The template extends `panel/secrets/owner.html`."""
        works = state in ("live", "expired")
        values["replaced"] = await self.list_replaced(tx, owner.id) if works else []
        values |= {"here": self.address(owner.id), "state": state, "states": self.states}
        return view.show(template, owner=owner, **values)

    async def list_replaced(self, tx: Tx, owner_id: UUID) -> list[str]:
        """Lists until when each replaced secret still works."""
        live = await self.table.list_live(tx, owner_id)
        return [secret.expires_at for secret in live if secret.expires_at]

    def ask_to_rotate(self, rotate: Callable[..., Awaitable[str]], needs: type | None = None) -> None:
        """Adds the question how long the present secret remains valid. `rotate` returns the new one."""
        self.ask(
            "rotate",
            rotate,
            N_("Rotate the secret of %(name)s"),
            [
                N_("You get a new secret, which is shown once."),
                N_("The current secret keeps working as long as you choose, so that the system can switch."),
            ],
            N_("Rotate secret"),
            kind="primary",
            form=Rotation,
            begins=lambda _: {"grace": 24},
            needs=needs,
            then=lambda tx, view, owner, secret: self.lead(tx, view, owner.id, secret),
            too_late=self.too_late,
            template="panel/secrets/rotate.html",
        )


def state_of(owner: ApiKey | ScimToken, now: datetime) -> str:
    """Returns live, expired or revoked."""
    if owner.revoked_at:
        return "revoked"
    return "expired" if owner.expires_at and datetime.fromisoformat(owner.expires_at) <= now else "live"
