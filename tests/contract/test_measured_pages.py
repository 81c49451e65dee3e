"""`python -m bench pages` knows an address for every page and every parameter, including new ones."""

from bench.visits import pages, visits


def test_every_page_has_addresses_that_are_measured() -> None:
    measured = {visit.page for page in pages() for visit in visits(page)}
    assert measured == {page.path for page in pages()}
    assert {"/admin", "/admin/people", "/learn", "/login", "/"} <= measured
    assert not any("{" in visit.address for page in pages() for visit in visits(page))
