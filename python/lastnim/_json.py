"""Reads messages from the program's JSON by the types of their fields."""

from __future__ import annotations

import base64
import dataclasses
import types
from collections.abc import Callable, Hashable
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Message = TypeVar("Message")
Reader = Callable[[Any], Any]


def message_from_json(kind: type[Message], json: Any) -> Message:
    """Reads a message; absent fields are None."""
    # Classes are hashable whatever their metaclass declares.
    message: Message = _reader_of(cast(Hashable, kind))(json)
    return message


@cache
def _reader_of(kind: Any) -> Reader:
    origin, arguments = get_origin(kind), get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _reader_of_dataclass(kind)
    if origin in (Union, types.UnionType):
        single = _reader_of(next(argument for argument in arguments if argument is not types.NoneType))
        return lambda json: None if json is None else single(json)
    if origin is tuple:
        element = _reader_of(arguments[0])
        return lambda json: tuple(element(each) for each in _list_of(json))
    if kind is float:
        # Non-finite numbers are strings.
        return float
    if kind is bytes:
        return base64.b64decode
    if kind in (int, bool, str) or origin is Literal:
        return _unchanged
    raise TypeError(f"{kind}: unsupported type of a field")


def _reader_of_dataclass(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    # Fields named like Python keywords end with an underscore.
    readers = [(field.name.rstrip("_"), _reader_of(hints[field.name])) for field in dataclasses.fields(kind)]

    def read(json: Any) -> Any:
        return kind(*(reader(json.get(name)) for name, reader in readers))

    return read


def _list_of(json: Any) -> Any:
    # A message with a single list, such as a row, is represented by the list.
    if isinstance(json, dict):
        (only,) = cast(dict[str, Any], json).values()
        return only
    return json


def _unchanged(json: Any) -> Any:
    return json
