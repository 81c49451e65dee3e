"""Writes a group as a SCIM resource."""

from collections.abc import Sequence

from trilha.access.scim import urns
from trilha.access.scim.answers import Resource, etag
from trilha.access.scim.groups.schema import Membership, ScimGroup
from trilha.access.scim.users.resources import meta


def resource(group: ScimGroup, members: Sequence[Membership], base: str) -> Resource:
    """Builds the resource. The version is the same with and without `members`."""
    built: Resource = {"schemas": [urns.GROUP], "id": str(group.id)}
    if group.external_id is not None:
        built["externalId"] = group.external_id
    built["displayName"] = group.display_name
    version = etag(group.version, *built.values(), group.members, group.member_added_at)
    if members:
        built["members"] = [_member(member, base) for member in members]
    built["meta"] = meta("Group", f"{base}/Groups/{group.id}", group.created_at, group.modified_at, version)
    return built


def _member(member: Membership, base: str) -> Resource:
    return {"value": str(member.user_id), "$ref": f"{base}/Users/{member.user_id}", "type": "User"}
