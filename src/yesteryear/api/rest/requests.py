"""What a request says, in types that describe themselves: made from the parameters of a verb."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, create_model

from yesteryear.api.rest.paging import MAX_ITEMS
from yesteryear.api.verbs import REQUIRED, VERBS, Kind, Parameter
from yesteryear.core.arguments import MAX_PAGE

_MOST_CURSOR_CHARS = 1000


class Asked(BaseModel):
    """What a caller sends: exactly the fields that there are, each of exactly its type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Sought(BaseModel):
    """What a caller asks for in the address, where everything is text: still no field that there is not."""

    model_config = ConfigDict(extra="forbid")


def mended(text: str) -> str:
    """Return text that can be sent back and stored: what JSON can hold of broken Unicode becomes U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _whole(value: object) -> object:
    """Refuse what int() would take and the description does not: signs, spaces, underscores, other scripts."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise ValueError("a whole number is written in digits")
    return value


def _flag(value: object) -> object:
    if isinstance(value, str) and value not in ("true", "false"):
        raise ValueError("it is either true or false")
    return value


_INSTANT = Field(json_schema_extra={"format": "date-time"})
_TYPES: Mapping[Kind, Any] = {
    Kind.TEXT: Annotated[str, AfterValidator(mended)],
    Kind.ID: str,
    Kind.INSTANT: Annotated[str, _INSTANT],
    Kind.NUMBER: int,
    Kind.FLAG: bool,
}
_IN_ADDRESS: Mapping[Kind, Any] = {
    **_TYPES,
    Kind.NUMBER: Annotated[int, BeforeValidator(_whole)],
    Kind.FLAG: Annotated[bool, BeforeValidator(_flag)],
}


def type_of(parameter: Parameter, *, in_address: bool = False) -> Any:  # noqa: ANN401 - annotations have no better type
    """Return the type of what is sent for a parameter, with its limits."""
    found = (_IN_ADDRESS if in_address else _TYPES)[parameter.kind]
    if parameter.choices:
        found = Literal[parameter.choices]
    if parameter.bounds is not None:
        is_number = parameter.kind is Kind.NUMBER
        least, most = parameter.bounds.least, parameter.bounds.most
        limits = Field(ge=least, le=most) if is_number else Field(min_length=least, max_length=most)
        found = Annotated[found, limits]
    if parameter.is_list:
        found = Annotated[list[found], Field(max_length=MAX_PAGE)]  # type: ignore[valid-type] # made at run time
    return found | None if parameter.is_nullable else found


def fields_of(parameters: Collection[Parameter], *, in_address: bool = False) -> dict[str, Any]:
    """Return the fields of a request that takes these parameters."""
    return {
        each.name: (
            type_of(each, in_address=in_address),
            Field(... if each.default is REQUIRED else each.default, description=each.about),
        )
        for each in parameters
    }


@cache
def body_of(verb: str, leaves_out: frozenset[str] = frozenset(), base: type[BaseModel] = Asked) -> type[BaseModel]:
    """Return the body that a verb takes.

    Args:
        verb: Its name.
        leaves_out: Parameters that are said elsewhere.
        base: What it has besides.
    """
    taken = [each for each in VERBS[verb].parameters.values() if each.name not in leaves_out]
    name = "".join(part.title() for part in verb.split("_"))
    return create_model(f"{name}Asked", __base__=base, __doc__=f"What `{verb}` takes.", **fields_of(taken))


@cache
def query_of(verb: str, leaves_out: frozenset[str] = frozenset(), *, pages: bool = False) -> type[BaseModel]:
    """Return what a verb takes in the address; with ``pages`` a cursor stands for where the page before ended."""
    leaves_out |= {"after", "limit"} if pages else frozenset()
    taken = [each for each in VERBS[verb].parameters.values() if each.name not in leaves_out]
    fields = (PAGE if pages else {}) | fields_of(taken, in_address=True)
    return create_model(f"{verb.title()}Sought", __base__=Sought, __doc__=f"What `{verb}` takes.", **fields)


PAGE: dict[str, Any] = {
    "limit": (
        Annotated[_IN_ADDRESS[Kind.NUMBER], Field(ge=1, le=MAX_ITEMS)],
        Field(100, description="Most items."),
    ),
    "cursor": (
        Annotated[str, Field(max_length=_MOST_CURSOR_CHARS)] | None,
        Field(None, description="`next_cursor` of the page before."),
    ),
}
"""What says which page is asked for."""
