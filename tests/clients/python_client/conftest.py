"""A company on a running server, and a proxy in front of it, shared by the tests of this folder."""

from collections.abc import Iterator

import pytest

from clients.python_client.company import Company, company_on_server
from clients.python_client.faulty_proxy import FaultyProxy, faulty_proxy
from trilha_client import Trilha


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    with company_on_server(tmp_path_factory.mktemp("company")) as company:
        yield company


@pytest.fixture
def proxy(company: Company) -> Iterator[FaultyProxy]:
    with faulty_proxy(company.port) as proxy:
        yield proxy


@pytest.fixture
def client(company: Company) -> Iterator[Trilha]:
    with Trilha(company.url, api_key=company.key) as client:
        yield client
