"""All assets of one saved revision in one download."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

from .answers import fields, is_replayed, parsed, retry_after_of
from .api import Api
from .errors import ConnectionFailedError, ExportNotFinishedError, ExportProgress, InventoryError
from .errors import UnexpectedAnswerError
from .flows import Effect, Flow, Item, Walk, iteration, ignored
from .options import ExportOptions
from .paths import inventory_path, whole, with_query
from .records import DescribedAsset
from .retry_policy import retry_delay
from .transport import Body, paid_read, read_key_seconds
from .wire import Scope

_silence_default = 45.0
# Above every line: an asset and a description, 12 MiB each at most.
_line_bytes_max = 64 * 2**20
# As often as the service lets a key be used again.
_resumes_max = 3


class ExportCalls(Api):
    @iteration
    def export(self, scope: Scope, **options: Unpack[ExportOptions]) -> Walk[DescribedAsset]:
        """All assets of one saved revision, read in one download as the loop takes them.

        A download that is cut is resumed while that is free under its key, and raises
        ExportNotFinishedError past that. Ends only where count and digest are those of the service:
        raises otherwise, and what was read is not whole.
        """
        environment, path = self._environment, f"{inventory_path(scope)}/current/export"
        key = self._key(options)
        on_progress = options.get("on_progress", ignored)
        at: dict[str, Any] = {"from_row": options.get("from_row", 0)}
        whole("from_row", at["from_row"], 0)
        free_until = environment.now() + read_key_seconds
        position: ExportProgress | None = None
        failures = 0
        while True:
            failures += 1
            body: Body | None = None
            try:
                query = {**options, **at, "from_row": at["from_row"] or None}
                call, media_type = paid_read(with_query(path, query), key), "application/x-ndjson"
                silence_max = options.get("silence_max", _silence_default)
                body = yield from self._transport.body(call, {}, media_type, silence_max)
                # A key that was given and paid before this call may be void at any time.
                is_given = "idempotency_key" in options
                if position is None and is_given and is_replayed(body.headers):
                    free_until = 0.0
                position = _position_in(body.headers, at["from_row"])
                yield Effect(on_progress(position))
                lines = _Lines(body)
                while (row := (yield from lines.next())) is not None:
                    position = replace(position, row=position.row + 1)
                    yield Effect(on_progress(position))
                    yield Item(row)
                return
            except InventoryError as error:
                if not error.retryable:
                    raise
                failed = error
            finally:
                if body is not None:
                    yield from body.close()
            delay = retry_delay(failures, retry_after_of(failed), environment.chance())
            if failures > _resumes_max or environment.now() + delay >= free_until:
                if position is None:
                    raise failed
                raise ExportNotFinishedError(position) from failed
            yield from self._transport.sleep(delay)
            if position is not None:
                at = {"from_row": position.row, "observation_id": position.observation_id}


class _Lines:
    """The rows of a body, until its end proves that they are whole."""

    def __init__(self, body: Body) -> None:
        self._body, self._digest = body, hashlib.sha256()
        self._buffer, self._at, self._rows = bytearray(), 0, 0

    def next(self) -> Flow[DescribedAsset | None]:
        """The next row; None after the end."""
        line = yield from self._line()
        value = fields(parsed(line.decode("utf-8", "replace")))
        if "end" in value:
            end = fields(value["end"])
            if (end.get("rows"), end.get("sha256")) != (self._rows, self._digest.hexdigest()):
                raise _unexpected("the count or the digest")
            return None
        if not isinstance(value.get("asset"), dict):
            raise _unexpected("a line")
        self._digest.update(line)
        self._rows += 1
        return DescribedAsset(value["asset"], value.get("description"))

    def _line(self) -> Flow[bytes]:
        """A whole line with its end; bytes behind the last one are none."""
        searched = self._at
        while (end := self._buffer.find(b"\n", searched)) < 0:
            del self._buffer[: self._at]
            self._at, searched = 0, len(self._buffer)
            if searched > _line_bytes_max:
                raise UnexpectedAnswerError("A line is too large.")
            chunk = yield from self._body.read()
            if chunk is None:
                raise ConnectionFailedError("The download ended before its end.")
            self._buffer += chunk
        line = bytes(self._buffer[self._at : end + 1])
        self._at = end + 1
        return line


def _position_in(headers: Mapping[str, str], row: int) -> ExportProgress:
    revision_id, observation_id = headers.get("x-revision-id"), headers.get("x-observation-id")
    rows = headers.get("x-export-rows", "")
    if revision_id is None or observation_id is None or not re.fullmatch("[0-9]{1,15}", rows):
        raise _unexpected("the head")
    return ExportProgress(row, row + int(rows), revision_id, observation_id)


def _unexpected(what: str) -> UnexpectedAnswerError:
    return UnexpectedAnswerError(f"The export has not what it should: {what}.")
