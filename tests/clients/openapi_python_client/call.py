"""Lists, creates and gets a refusal through the client that openapi-python-client generated."""

import os

from client.api.users import create_user, list_users
from client.client import AuthenticatedClient
from client.models import Cnh, CreatedUser, ErrorEnvelope, ListUsersStatus, UserCreate, UserList


def listed(http: AuthenticatedClient) -> None:
    page = list_users.sync(client=http, department="Logística", limit=2, status=ListUsersStatus.ACTIVE)
    assert isinstance(page, UserList), page
    [first] = page.data
    assert isinstance(first.cnh, Cnh)
    told("list", len(page.data), first.email, first.cnh.numero, page.next_cursor is None)


def created(http: AuthenticatedClient) -> None:
    person = UserCreate(email="openapi.python.client@example.com", name="Criada", cnh=None)
    made = create_user.sync(client=http, body=person)
    assert isinstance(made, CreatedUser), made
    told("create", made.data.email, made.data.role, made.data.cnh is None)


def refused(http: AuthenticatedClient) -> None:
    person = UserCreate(email="refused@example.com", name="Recusada", cpf="529.982.247-26")
    answer = create_user.sync_detailed(client=http, body=person)
    assert isinstance(answer.parsed, ErrorEnvelope), answer
    error = answer.parsed.error
    told("refused", int(answer.status_code), error.type_, error.code, error.field)


def told(*words: object) -> None:
    print(*(str(word).lower() if isinstance(word, bool) else word for word in words))


with AuthenticatedClient(f"{os.environ['TRILHA_URL']}/v1", token=os.environ["TRILHA_KEY"]) as http:
    listed(http)
    created(http)
    refused(http)
