"""Honest responses with random changes: in their tree, in their bytes, and in their encoding.

A mutation may use everything that an attacker has: signed responses for himself, his own keys, and our
certificate.
"""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree

from access.sso.saml import attacks
from access.sso.saml.attacks import evil
from access.sso.saml.provider import (
    DS,
    MODES,
    NAMES,
    XENC,
    Facts,
    SigningKey,
    encrypt,
    posted,
    sign,
    signed,
)

Tree = Any
_VALUES = (
    "",
    "#_assertion1",
    "_assertion1",
    "_response1",
    "_evil",
    "2.0",
    "mallory@evil.test",
    "https://learn.test/api/sso/saml/1/acs",
    "urn:oasis:names:tc:SAML:2.0:status:Success",
    "2030-01-01T00:00:00Z",
    "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
    "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
    "#default saml samlp ds xs",
    "\u212a",
    "A" * 3000,
)
_TAGS = (
    "{urn:oasis:names:tc:SAML:2.0:assertion}Assertion",
    "{urn:oasis:names:tc:SAML:2.0:assertion}NameID",
    "{urn:oasis:names:tc:SAML:2.0:assertion}EncryptedAssertion",
    "{urn:oasis:names:tc:SAML:2.0:protocol}Response",
    "{urn:oasis:names:tc:SAML:2.0:protocol}Extensions",
    f"{{{DS}}}Object",
    f"{{{DS}}}Signature",
    "Assertion",
    "x",
)


@dataclass(frozen=True)
class Corpus:
    """`honest` is changed; `spare` is further material that an attacker may insert."""

    honest: list[str]
    spare: list[str]
    stranger: SigningKey


def corpus(facts: Facts, key: SigningKey, own_key: SigningKey, stranger: SigningKey) -> Corpus:
    honest = [signed(facts, key, mode) for mode in MODES]
    sealed = encrypt(honest[0], own_key.certificate)
    cbc = encrypt(honest[0], own_key.certificate, f"{XENC}aes128-cbc")
    honest += [sealed, sign(sealed, facts.response_id, key), sign(cbc, facts.response_id, key)]
    mallory = other_person(facts)
    spare = [signed(mallory, key, mode) for mode in MODES]
    spare += [evil(signed(facts, stranger, mode)) for mode in MODES]
    spare.append(encrypt(evil(signed(facts, stranger)), own_key.certificate))
    return Corpus(honest, spare, stranger)


def other_person(facts: Facts) -> Facts:
    """Returns another person of the same company, who has signed responses of their own."""
    return facts.but(
        name_id="bob@acme.test",
        attributes={"email": ["bob@acme.test"], "displayName": ["Bob"]},
        response_id="_response2",
        assertion_id="_assertion2",
    )


def mutated(corpus: Corpus, seed: int) -> str:
    """Returns the text of a mutated SAMLResponse field."""
    chosen = random.Random(seed)
    tree = etree.fromstring(chosen.choice(corpus.honest).encode())
    if chosen.random() < 0.15:
        tree = _attacked(tree, chosen)
    for _ in range(chosen.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        tree = chosen.choice(_OF_TREES)(tree, chosen, corpus)
    raw = etree.tostring(tree)
    if chosen.random() < 0.15:
        raw = chosen.choice(_OF_BYTES)(raw, chosen)
    text = posted(raw)
    return _sent(text, chosen) if chosen.random() < 0.03 else text


def _attacked(tree: Tree, chosen: random.Random) -> Tree:
    try:
        return chosen.choice(attacks.ALL)(tree)
    # it has no such part, because it is encrypted
    except (AttributeError, IndexError, StopIteration, TypeError):
        return tree


def _elements(tree: Tree) -> list[Tree]:
    return [each for each in tree.iter() if isinstance(each.tag, str)]


def _any(tree: Tree, chosen: random.Random) -> Tree:
    return chosen.choice(_elements(tree))


def _inner(tree: Tree, chosen: random.Random) -> Tree:
    return chosen.choice(_elements(tree)[1:] or [tree])


def _duplicate(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    copied = copy.deepcopy(_inner(tree, chosen))
    return _put(tree, copied, chosen)


def _move(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    moved = _inner(tree, chosen)
    if moved.getparent() is not None:
        moved.getparent().remove(moved)
    return _put(tree, moved, chosen)


def _put(tree: Tree, element: Tree, chosen: random.Random) -> Tree:
    parent = _any(tree, chosen)
    if not any(parent is each for each in element.iter()):
        parent.insert(chosen.randint(0, len(parent)), element)
    return tree


def _delete(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    gone = _inner(tree, chosen)
    if gone.getparent() is not None:
        gone.getparent().remove(gone)
    return tree


def _swap(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    parent = _any(tree, chosen)
    if len(parent) > 1:
        parent.append(parent[0])
    return tree


def _wrap(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    inner = _inner(tree, chosen)
    parent = inner.getparent()
    if parent is None:
        return tree
    outer = etree.Element(chosen.choice(_TAGS), nsmap=NAMES)
    parent.replace(inner, outer)
    outer.append(inner)
    return tree


def _rename(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    _any(tree, chosen).tag = chosen.choice(_TAGS)
    return tree


def _attribute(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    element = _any(tree, chosen)
    names = [*element.attrib, "ID", "Id", "{http://www.w3.org/XML/1998/namespace}id", "URI", "Algorithm"]
    element.set(chosen.choice(names), chosen.choice(_VALUES))
    return tree


def _drop_attribute(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    element = _any(tree, chosen)
    if element.attrib:
        del element.attrib[chosen.choice(list(element.attrib))]
    return tree


def _text(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    element = _any(tree, chosen)
    if chosen.random() < 0.5:
        element.text = chosen.choice(_VALUES)
    else:
        element.tail = chosen.choice(_VALUES)
    return tree


def _alice_to_mallory(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    for element in tree.iter():
        if element.text and "alice" in element.text.lower():
            element.text = evil(element.text)
    return tree


def _note(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    note = etree.Comment("x") if chosen.random() < 0.5 else etree.ProcessingInstruction("x", "y")
    element = _any(tree, chosen)
    element.insert(0, note)
    text = element.text or ""
    half = len(text) // 2
    element.text, note.tail = text[:half], text[half:]
    return tree


def _splice(tree: Tree, chosen: random.Random, corpus: Corpus) -> Tree:
    """Puts a part of another document in the place of the same part of this one, or beside it."""
    other = _inner(etree.fromstring(chosen.choice(corpus.spare).encode()), chosen)
    same = [each for each in _elements(tree)[1:] if each.tag == other.tag]
    if not same:
        return _put(tree, other, chosen)
    place = chosen.choice(same)
    if chosen.random() < 0.6:
        place.getparent().replace(place, other)
    else:
        place.addprevious(other)
    return tree


def _signed_anew(tree: Tree, chosen: random.Random, corpus: Corpus) -> Tree:
    """Signs it with a key of the attacker."""
    identifiers = [each.get("ID") for each in _elements(tree) if each.get("ID") and len(each)]
    if not identifiers:
        return tree
    try:
        xml = sign(etree.tostring(tree).decode(), chosen.choice(identifiers), corpus.stranger)
    except (ValueError, etree.LxmlError):
        return tree
    return etree.fromstring(xml.encode())


def _namespace(tree: Tree, chosen: random.Random, _: Corpus) -> Tree:
    """Uses another prefix for the same namespace, or the same prefix for another."""
    uri = chosen.choice((*NAMES.values(), "urn:x", "relative"))
    fresh = etree.Element(_any(tree, chosen).tag, nsmap={chosen.choice(["saml", "ds", "q", None]): uri})
    return _put(tree, fresh, chosen)


_OF_TREES: list[Callable[[Tree, random.Random, Corpus], Tree]] = [
    *(_duplicate, _move, _delete, _swap, _wrap, _rename, _attribute, _drop_attribute),
    *(_text, _alice_to_mallory, _note, _splice, _splice, _signed_anew, _namespace),
]


def _flip(raw: bytes, chosen: random.Random) -> bytes:
    place = chosen.randrange(len(raw))
    return raw[:place] + bytes([chosen.randrange(256)]) + raw[place + 1 :]


def _cut(raw: bytes, chosen: random.Random) -> bytes:
    first, last = sorted(chosen.randrange(len(raw)) for _ in range(2))
    return raw[:first] + raw[last:]


def _repeat(raw: bytes, chosen: random.Random) -> bytes:
    first, last = sorted(chosen.randrange(len(raw)) for _ in range(2))
    return raw[:last] + raw[first:]


def _insert(raw: bytes, chosen: random.Random) -> bytes:
    things = (
        b"<!---->",
        b"<?x?>",
        b"<![CDATA[x]]>",
        b"&lt;",
        b"&#0;",
        b"&x;",
        b"\0",
        b"\xff",
        b"<!DOCTYPE x>",
    )
    place = chosen.randrange(len(raw))
    return raw[:place] + chosen.choice(things) + raw[place:]


def _named(raw: bytes, chosen: random.Random) -> bytes:
    return raw.replace(b"alice@acme.test", b"mallory@evil.test", chosen.randint(1, 3))


_OF_BYTES = [_flip, _cut, _repeat, _insert, _named]


def _sent(text: str, chosen: random.Random) -> str:
    place = chosen.randrange(len(text))
    before, after = text[:place], text[place:]
    return chosen.choice((before, f"{before}\n{after}", f"{before} {after}", text * 2))
