"""Records of matches, as dataclasses and tables."""

from __future__ import annotations

import importlib
import json
import os
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints, overload

from ._json import message_from_json
from ._lastnim import RecordReader, audit_record_text, record_of_text, verify_record_text
from .match import Rows
from .messages import Audit, MatchRecord, MatchRow, MatchSetup, PlyRow, SeatRow

__all__ = ["Record", "Records", "Verification", "read_parquet", "read_records", "verify", "write_parquet"]

TableName = Literal["matches", "seats", "plies"]
ROWS: dict[TableName, type[Any]] = {"matches": MatchRow, "seats": SeatRow, "plies": PlyRow}


@dataclass(frozen=True)
class Record:
    """The record of a match, with its rows in the tables of `lastnim record tables`."""

    message: MatchRecord
    """All events in order."""
    match: MatchRow
    """The row of the match."""
    seats: tuple[SeatRow, ...]
    """A row for each seat: its declaration, and how it played."""
    plies: tuple[PlyRow, ...]
    """A row for each take, with the oracle's view of it."""
    text: str
    """The record in one line of JSON, as lastnim writes and signs it."""

    @property
    def match_id(self) -> str:
        """The match, a UUID."""
        return self.message.match_id

    @property
    def setup(self) -> MatchSetup:
        """The facts that were fixed before the first move."""
        setup = self.message.events[0].created
        assert setup is not None, "the first event of a record is `created`"
        return setup

    @property
    def rows(self) -> Rows | None:
        """The rows of all seats; None if they were never revealed."""
        revealed = (event.revealed for event in self.message.events if event.revealed is not None)
        return next((event.alliance_matrix for event in revealed), None)

    @property
    def takes(self) -> tuple[int, ...]:
        """The takes, in order."""
        return tuple(event.took.take for event in self.message.events if event.took is not None)

    @property
    def winner(self) -> int | None:
        """The winner; None if the match is not over or was cancelled."""
        return self.match.winner_seat

    @cached_property
    def audit(self) -> Audit | None:
        """The audit of the match and of its talk; None without a winner."""
        audit = audit_record_text(self.text)
        return None if audit is None else message_from_json(Audit, json.loads(audit))

    def verify(self, key: str | None = None) -> Verification:
        """Verifies the record: see `lastnim.verify`."""
        return verify(self, key=key)

    def _repr_html_(self) -> str:
        from .drawing import record_html

        return record_html(self)


def record_from_json(text: str) -> Record:
    """Reads a record from the JSON that the extension module returns."""
    parts = json.loads(text)
    return Record(
        message_from_json(MatchRecord, parts["message"]),
        message_from_json(MatchRow, parts["match"]),
        tuple(message_from_json(SeatRow, row) for row in parts["seats"]),
        tuple(message_from_json(PlyRow, row) for row in parts["plies"]),
        parts["text"],
    )


class Records(Sequence[Record]):
    """Records in the order in which they were read. `matches`, `seats` and `plies` are tables with the columns of `lastnim record tables`."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = tuple(records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Records: ...
    def __getitem__(self, index: int | slice) -> Record | Records:
        if isinstance(index, slice):
            return Records(self._records[index])
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    @property
    def matches(self) -> tuple[MatchRow, ...]:
        """A row for each match."""
        return tuple(record.match for record in self)

    @property
    def seats(self) -> tuple[SeatRow, ...]:
        """A row for each seat of each match."""
        return tuple(row for record in self for row in record.seats)

    @property
    def plies(self) -> tuple[PlyRow, ...]:
        """A row for each take of each match."""
        return tuple(row for record in self for row in record.plies)

    def to_arrow(self, table: TableName) -> Any:
        """Returns a table as a `pyarrow.Table` with the types of its columns, even if all values are missing."""
        if table not in ROWS:
            raise ValueError(f"table {table!r}: expected {', '.join(ROWS)}")
        arrow: Any = importlib.import_module("pyarrow")
        hints = get_type_hints(ROWS[table])
        rows: tuple[Any, ...] = getattr(self, table)
        columns = {
            field.name: arrow.array([getattr(row, field.name) for row in rows], type=_arrow_type(arrow, hints[field.name]))
            for field in fields(ROWS[table])
        }
        return arrow.table(columns)

    def to_pandas(self, table: TableName) -> Any:
        """Returns a table as a `pandas.DataFrame` with Arrow's types, so that integers with gaps do not become floats."""
        pandas: Any = importlib.import_module("pandas")
        return self.to_arrow(table).to_pandas(types_mapper=pandas.ArrowDtype)

    def to_polars(self, table: TableName) -> Any:
        """Returns a table as a `polars.DataFrame`."""
        polars: Any = importlib.import_module("polars")
        return polars.from_arrow(self.to_arrow(table))


def _arrow_type(arrow: Any, hint: Any) -> Any:
    """Returns the Arrow type of a column: all integers fit into signed 64 bits."""
    if get_origin(hint) is types.UnionType or type(None) in get_args(hint):
        hint = next(argument for argument in get_args(hint) if argument is not type(None))
    if get_origin(hint) is Literal:
        return arrow.string()
    return {int: arrow.int64, float: arrow.float64, bool: arrow.bool_, str: arrow.string, bytes: arrow.binary}[hint]()


def read_records(path: str | os.PathLike[str]) -> Records:
    """Reads the records of a file (one as JSON, or one per line), or of all files in a folder in the order of their names.

    ValueError names the file, and the line, of the first invalid record.
    """
    return Records(_records_of(Path(path)))


def _records_of(path: Path) -> Iterator[Record]:
    files = sorted(file for file in path.iterdir() if file.is_file()) if path.is_dir() else [path]
    for file in files:
        reader = RecordReader(file)
        while (text := reader.next()) is not None:
            yield record_from_json(text)


PARQUET_BATCH = 1_000
"""The number of records in a row group of a Parquet file."""


def write_parquet(records: Iterable[Record], path: str | os.PathLike[str]) -> int:
    """Writes records to a Parquet file, a row for each match, and returns their number. Requires pyarrow.

    The columns are those of the table `matches`, `record` with the record as text, and `takes` with a list of the match's rows in the table
    `plies`. Only a thousand records are in memory at once.
    """
    batches, count = iter(records), 0
    with ParquetFile(path) as file:
        while batch := tuple(islice(batches, PARQUET_BATCH)):
            file.write(parquet_table(Records(batch)))
            count += len(batch)
    return count


def read_parquet(path: str | os.PathLike[str]) -> Iterator[Record]:
    """Reads the records of a file from `write_parquet`, one after the other. Requires pyarrow.

    ValueError names the row of an invalid record.
    """
    for row, text in enumerate(parquet_texts(path)):
        try:
            yield record_from_json(record_of_text(text))
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: row {row}: {error}") from None


def parquet_texts(path: str | os.PathLike[str]) -> Iterator[str]:
    """Yields the texts of the records in a file from `write_parquet`."""
    parquet: Any = importlib.import_module("pyarrow.parquet")
    with parquet.ParquetFile(path) as file:
        if "record" not in file.schema_arrow.names:
            raise ValueError(f"{os.fspath(path)}: no column `record`: expected a file from write_parquet")
        for batch in file.iter_batches(batch_size=PARQUET_BATCH, columns=["record"]):
            yield from batch.column(0).to_pylist()


def parquet_table(records: Records) -> Any:
    """Returns a `pyarrow.Table` with the columns of `write_parquet`."""
    arrow: Any = importlib.import_module("pyarrow")
    plies = records.to_arrow("plies")
    ends = accumulate((len(record.plies) for record in records), initial=0)
    columns = records.to_arrow("matches")
    columns = columns.append_column("record", arrow.array([record.text for record in records], arrow.string()))
    return columns.append_column("takes", arrow.ListArray.from_arrays(arrow.array(ends, arrow.int32()), plies.to_struct_array().combine_chunks()))


class ParquetFile:
    """A Parquet file with the columns of `write_parquet`, which gets its name when it is complete."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        parquet: Any = importlib.import_module("pyarrow.parquet")
        self._writer = parquet.ParquetWriter(self._temporary, parquet_table(Records([])).schema, compression="zstd")

    def write(self, table: Any) -> None:
        """Writes a table as a row group."""
        self._writer.write_table(table)

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None) -> None:
        self._writer.close()
        if error is None:
            self._temporary.replace(self._path)
        else:
            self._temporary.unlink()


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a record."""

    match_id: str | None
    """The match, if it could be read."""
    verified: bool
    """Whether the record is intact, follows the rules, is signed (by the given key, if any), and is byte for byte what lastnim writes."""
    events: int | None
    """The number of events, if it verifies."""
    head: str | None
    """The hash of the last event, which is signed."""
    signer: str | None
    """The signer's public key."""
    signed_by_key: bool | None
    """Whether it is the given key."""
    flaw: str | None
    """The kind of the flaw, as a code."""
    event: int | None
    """The number of the wrong event, from 0."""
    message: str | None
    """The flaw in words."""


def verify(record: Record | Path | str, *, key: str | None = None, any_layout: bool = False) -> Verification:
    """Verifies a record offline: a `Record`, a file as a `Path`, or a string.

    With `key`, the public key of a server you trust as `lastnim record key` prints it, the signer must match. Without it, the result only
    shows that the record is intact, and its signer. `any_layout` accepts every layout that the JSON mapping of proto3 allows.
    """
    text = record.text if isinstance(record, Record) else record.read_text(encoding="utf-8-sig") if isinstance(record, Path) else record
    return message_from_json(Verification, json.loads(verify_record_text(text, key, any_layout)))
