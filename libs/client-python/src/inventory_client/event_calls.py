"""Events of a Project: listed, and followed over any number of connections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Never, TypeVar, Unpack

from .answers import Fields, number_in, retry_after_of, text_in
from .api import Api, next_cursor
from .errors import ApiError, AuthorizationRevokedError, CursorExpiredError, EventGap
from .errors import InventoryError, RecoveryRequiredError, UnexpectedAnswerError
from .flows import Effect, Flow, Walk, iteration, operation, ignored
from .frames import Frame, FrameParser
from .options import EventListOptions, FollowOptions, Interruption
from .paths import is_cursor, project_path, with_query
from .retry_policy import reconnect_delay
from .transport import Body, Call
from .wire import EventPage, EventPageItemsItem, ProjectEvent

T = TypeVar("T")
_silence_default = 45.0
# A connection that lasted this long counts as successful, even without a frame.
_sound_after = 10.0
# Invalid frames in a row, without an applied event in between, before they are an error.
_unexpected_max = 5
# After a gap events may be redelivered; beyond this number they are applied again.
_remembered_max = 10_000
_closing_max = 60.0


@dataclass(frozen=True)
class _End:
    """How a connection ended that another one may follow."""

    reason: str
    retry_after: float | None = None
    error: InventoryError | None = None


@dataclass
class _Applied:
    """The reader's position, and the events that it has applied."""

    cursor: str | None
    on_event: Callable[[ProjectEvent, str], object]
    on_progress: Callable[[str], object]
    remembered: dict[str, None] = field(default_factory=dict)

    def apply(self, event: Any, cursor: str) -> Flow[None]:
        """Applies the event unless it was applied before, then moves to its cursor."""
        if event["id"] not in self.remembered:
            yield Effect(self.on_event(event, cursor))
        self.remembered[event["id"]] = None
        if len(self.remembered) > _remembered_max:
            del self.remembered[next(iter(self.remembered))]
        yield from self.move_to(cursor)

    def move_to(self, cursor: str) -> Flow[None]:
        # After a crash in between the event is redelivered; the other order would lose it.
        self.cursor = cursor
        yield Effect(self.on_progress(cursor))


class EventCalls(Api):
    """All of these calls are free and need a Credential with `customer.events.read.v1`."""

    @operation
    def list_events(self, project_id: str, **options: Unpack[EventListOptions]) -> Flow[EventPage]:
        """One page of a Project's events, oldest first."""
        return self._list(project_path(project_id, "events"), options)

    @iteration
    def events(
        self, project_id: str, **options: Unpack[EventListOptions]
    ) -> Walk[EventPageItemsItem]:
        """All stored events, from the oldest or after a cursor, up to the present end."""
        return self._items(project_path(project_id, "events"), options, "after")

    @operation
    def follow_events(
        self,
        project_id: str,
        on_event: Callable[[ProjectEvent, str], object],
        **options: Unpack[FollowOptions],
    ) -> Flow[Never]:
        """Reads the Project's stream, over any number of connections, until something is raised.

        That is an error of a callback, AuthorizationRevokedError or another permanent refusal, or,
        where there is no `on_gap`, RecoveryRequiredError. One event after the other: `on_event`
        applies it, then `on_progress` stores its cursor.
        """
        last_event_id, now = options.get("last_event_id"), self._environment.now
        if last_event_id is not None and not is_cursor(last_event_id):
            raise ValueError("last_event_id must be a cursor of the service.")
        on_interruption = options.get("on_interruption", ignored)
        on_progress = options.get("on_progress", ignored)
        applied = _Applied(last_event_id, on_event, on_progress)
        failures = unexpected = 0
        while True:
            before, started = applied.cursor, now()
            end = yield from self._read_connection(project_id, applied, options)
            is_moved = applied.cursor != before
            lasted = now() - started
            is_sound = is_moved or end.retry_after is not None or lasted >= _sound_after
            failures = 1 if is_sound else failures + 1
            is_unexpected = isinstance(end.error, UnexpectedAnswerError) and not is_moved
            unexpected = unexpected + 1 if is_unexpected else 0
            if end.error is not None and unexpected >= _unexpected_max:
                raise end.error
            retry_in = reconnect_delay(failures, end.retry_after, self._environment.chance())
            yield Effect(on_interruption(Interruption(end.reason, retry_in)))
            yield from self._transport.sleep(retry_in)

    def _read_connection(
        self, project_id: str, applied: _Applied, options: FollowOptions
    ) -> Flow[_End]:
        types = {"types": options.get("types")}
        call = Call("GET", with_query(project_path(project_id, "events/stream"), types))
        headers = {"Cache-Control": "no-cache"}
        if applied.cursor is not None:
            headers["Last-Event-ID"] = applied.cursor
        silence_max = options.get("silence_max", _silence_default)
        opening = self._stream_transport.body(call, headers, "text/event-stream", silence_max)
        body = yield from _or_end(opening)
        if isinstance(body, _End):
            return body
        try:
            end = yield from self._read_frames(body, project_id, applied)
        finally:
            yield from body.close()
        if isinstance(end, _End):
            return end
        if "on_gap" not in options:
            raise RecoveryRequiredError(end)
        yield Effect(options["on_gap"](end))
        yield from applied.move_to(end.resume_cursor)
        return (yield from self._read_stored(project_id, applied, options.get("types", ())))

    def _read_frames(
        self, body: Body, project_id: str, applied: _Applied
    ) -> Flow[_End | EventGap]:
        """Applies one frame after the other, until the connection ends."""
        parser = FrameParser()
        while True:
            chunk = yield from _or_end(body.read())
            if isinstance(chunk, _End):
                return chunk
            if chunk is None:
                return _End("ended")
            for meaning in _meanings(parser.take(chunk), project_id, applied):
                if isinstance(meaning, (_End, EventGap)):
                    return meaning
                event, cursor = meaning
                if event is not None:
                    yield from applied.apply(event, cursor)
                # The first position, or one after events of other types; else it repeats where the
                # connection continues.
                elif applied.cursor != cursor:
                    yield from applied.move_to(cursor)

    def _read_stored(
        self, project_id: str, applied: _Applied, types: Sequence[str]
    ) -> Flow[_End]:
        """Applies the stored events from the list; the next connection continues at its end."""
        cursor = applied.cursor
        while True:
            listing = EventCalls.list_events.flow(self, project_id, after=cursor, types=types)
            page = yield from _or_end(listing)
            if isinstance(page, _End):
                return page
            for placed in page["items"]:
                yield from applied.apply(placed["event"], placed["cursor"])
            cursor = next_cursor(page["pagination"], cursor)
            if cursor is None:
                return _End("recovered")


def _or_end(flow: Flow[T]) -> Flow[T | _End]:
    """Turns transient errors into the end of the connection; others are raised."""
    try:
        return (yield from flow)
    except InventoryError as error:
        # After an expired cursor of the list the stream reports a gap.
        transient = (UnexpectedAnswerError, CursorExpiredError)
        if not error.retryable and not isinstance(error, transient):
            raise
        reason = error.code if isinstance(error, ApiError) else type(error).__name__
        return _End(reason, retry_after_of(error), error)


def _meanings(
    frames: Iterator[Frame], project_id: str, applied: _Applied
) -> Iterator[tuple[Fields | None, str] | _End | EventGap]:
    """Events, checkpoints and the end: the position advances over valid frames only."""
    try:
        for frame in frames:
            content = frame.content()
            reason = text_in(content.get("reason")) or frame.type
            if frame.type == "stream.authorization_revoked":
                raise AuthorizationRevokedError(reason)
            if frame.type == "stream.closing":
                yield _End(reason, _closing_delay(content.get("retry_after_ms")))
            elif frame.type == "stream.recovery_required":
                resume, earliest = content.get("resume_cursor"), content.get("earliest_as_of")
                yield EventGap(reason, applied.cursor, text_in(earliest), _cursor(frame, resume))
            elif frame.type == "checkpoint":
                yield None, _cursor(frame, frame.id)
            # A control frame of a later version is ignored.
            elif not frame.type.startswith("stream."):
                if content.get("type") != frame.type or not _is_event(content, project_id):
                    raise frame.unexpected()
                yield content, _cursor(frame, frame.id)
    except UnexpectedAnswerError as error:
        yield _End(type(error).__name__, error=error)


def _is_event(content: Fields, project_id: str) -> bool:
    """The fields that all types of events share; a type that is added later passes."""
    return (
        (text_in(content.get("id")) or "").startswith("evt_")
        and number_in(content.get("version")) is not None
        and text_in(content.get("occurred_at")) is not None
        and content.get("project_id") == project_id
        and isinstance(content.get("data"), dict)
    )


def _cursor(frame: Frame, cursor: Any) -> str:
    if not is_cursor(cursor):
        raise frame.unexpected()
    return str(cursor)


def _closing_delay(ms: Any) -> float | None:
    is_number = isinstance(ms, (int, float)) and not isinstance(ms, bool)
    return min(ms / 1000, _closing_max) if is_number and ms >= 0 else None
