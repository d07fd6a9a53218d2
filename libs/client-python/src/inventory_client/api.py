"""What every group of calls has: reads of one record, of a list, and of pages."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from .answers import Success, fields, unexpected
from .errors import UnexpectedAnswerError
from .flows import Flow, Item, Walk
from .paths import checked_key, with_query
from .transport import Call, Environment, Io, Transport

Options = Mapping[str, Any]


class ClientOptions(TypedDict, total=False):
    events_url: str  # of the event stream where it has an origin of its own
    try_timeout: float  # seconds of one attempt; 45 by default, longer than the service takes
    environment: Environment


class Api:
    """The calls of one Credential."""

    def __init__(
        self,
        io: Io,
        base_url: str,
        api_key: str,
        *,
        events_url: str | None = None,
        try_timeout: float = 45.0,
        environment: Environment = Environment(),
    ) -> None:
        to = (api_key, try_timeout, environment)
        self._transport = Transport(io, base_url, *to)
        self._stream_transport = Transport(io, events_url or base_url, *to)
        self._environment = environment

    def _key(self, options: Options) -> str:
        given = options.get("idempotency_key")
        return self._environment.new_key() if given is None else checked_key(given)

    def _data(self, path: str, options: Options, field: str) -> Flow[Any]:
        return self._sent(Call("GET", with_query(path, options)), options, field)

    def _sent(self, call: Call, options: Options, field: str) -> Flow[Any]:
        """`data` of the response, which must have this field."""
        success = yield from self._transport.call(call, options)
        if field not in success.data:
            raise unexpected(field)
        return success.data

    def _list(self, path: str, options: Options) -> Flow[Any]:
        """One page of a list."""
        call = Call("GET", with_query(path, options))
        return page_with((yield from self._transport.call(call, options)), "items")

    def _items(self, path: str, options: Options, cursor: str = "cursor") -> Walk[Any]:
        """The items of a list, page after page."""
        return self._walk(
            lambda start: self._list(path, {**options, cursor: start}),
            options.get(cursor),
            lambda page: page["items"],
            lambda page: page["pagination"],
        )

    def _walk(
        self,
        read: Callable[[str | None], Flow[Any]],
        start: str | None,
        items: Callable[[Any], Iterable[Any]],
        pagination: Callable[[Any], Any],
    ) -> Walk[Any]:
        """Each page is read only when the loop requests it: leaving the loop ends the cost."""
        cursor = start
        while True:
            answer = yield from read(cursor)
            for item in items(answer):
                yield Item(item)
            following = next_cursor(pagination(answer), cursor)
            if following is None:
                return
            cursor = following


def next_cursor(pagination: Any, cursor: str | None) -> str | None:
    """Where the next page is; None after the last one."""
    if not pagination["has_more"]:
        return None
    following: str | None = pagination.get("next_cursor")
    if following is None or following == cursor:
        raise UnexpectedAnswerError("There is another page without a cursor to it.")
    return following


def page_with(success: Success, *lists: str) -> Any:
    for name in lists:
        if not isinstance(success.data.get(name), list):
            raise unexpected(name)
    if not isinstance(fields(success.data.get("pagination")).get("has_more"), bool):
        raise unexpected("pagination")
    return success.data
