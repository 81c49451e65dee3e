"""A group as a resource."""

from collections.abc import Sequence

from trilha.scim import urns
from trilha.scim.answers import Resource, etag
from trilha.scim.groups.schema import Membership, ScimGroup
from trilha.scim.users.writing import meta


def resource(group: ScimGroup, members: Sequence[Membership], base: str) -> Resource:
    """The version does not depend on whether `members` are shown."""
    told: Resource = {"schemas": [urns.GROUP], "id": str(group.id)}
    if group.external_id is not None:
        told["externalId"] = group.external_id
    told["displayName"] = group.display_name
    version = etag(group.version, *told.values(), group.members, group.member_added_at)
    if members:
        told["members"] = [_member(each, base) for each in members]
    told["meta"] = meta("Group", f"{base}/Groups/{group.id}", group.created_at, group.modified_at, version)
    return told


def _member(member: Membership, base: str) -> Resource:
    return {"value": str(member.user_id), "$ref": f"{base}/Users/{member.user_id}", "type": "User"}
