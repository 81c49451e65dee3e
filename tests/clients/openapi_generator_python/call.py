"""Lists, creates and gets a refusal through the client that openapi-generator generated."""

import os
from typing import cast

from trilha_client import ApiClient, ApiException, Configuration, ErrorEnvelope, UserCreate, UsersApi


def listed(users: UsersApi) -> None:
    page = users.list_users(department="Logística", limit=2, status="ACTIVE")
    [first] = page.data
    assert first.cnh is not None
    told("list", len(page.data), first.email, first.cnh.numero, page.next_cursor is None)


def created(users: UsersApi) -> None:
    person = UserCreate(email="openapi.generator.python@example.com", name="Criada", cnh=None)
    made = users.create_user(person).data
    told("create", made.email, made.role, made.cnh is None)


def refused(users: UsersApi) -> None:
    person = UserCreate(email="refused@example.com", name="Recusada", cpf="529.982.247-26")
    try:
        users.create_user(person)
    except ApiException as refusal:
        error = cast(ErrorEnvelope, refusal.data).error
        told("refused", refusal.status, error.type, error.code, error.var_field)


def told(*words: object) -> None:
    print(*(str(word).lower() if isinstance(word, bool) else word for word in words))


configuration = Configuration(host=f"{os.environ['TRILHA_URL']}/v1", access_token=os.environ["TRILHA_KEY"])
with ApiClient(configuration) as client:
    listed(UsersApi(client))
    created(UsersApi(client))
    refused(UsersApi(client))
