"""Refreshes: requested, awaited, listed, cancelled."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack, cast

from .answers import Success, api_error, fields, number_in, present, text_in, unexpected
from .api import Api
from .errors import ConflictError, InvalidRequestError, InventoryError, RefreshNotFinishedError
from .flows import Effect, Flow, Walk, iteration, operation, ignored
from .options import BatchItem, CallOptions, RefreshAndWaitOptions, RefreshListOptions
from .options import RefreshOptions, StatusOptions, WaitOptions
from .paths import checked, inventory_path, project_path, refresh_path, whole
from .paths import with_query
from .records import BatchResult, RefreshAnswer
from .retry_policy import after
from .transport import Call
from .wire import RefreshPage, RefreshRecord, RefreshStatus, Scope

# The lowest authorized charge, and the highest cost of a refresh.
_max_credits_default = 125
_workflow_default = 15 * 60.0
# For a pending refresh without Retry-After.
_fallback_seconds = 2.0


class RefreshCalls(Api):
    @operation
    def refresh(self, scope: Scope, **options: Unpack[RefreshOptions]) -> Flow[RefreshAnswer]:
        """Requests a complete collection and reserves its credits."""
        body = self._wanted(options)
        key = body.pop("idempotency_key")
        call = Call("POST", f"{inventory_path(scope)}/refresh", body, key)
        return _answer((yield from self._transport.call(call, options)))

    @operation
    def refresh_batch(
        self, items: Iterable[BatchItem], **options: Unpack[CallOptions]
    ) -> Flow[list[BatchResult]]:
        """Up to 100 refreshes, each admitted on its own: one result for each, in order.

        An invalid one is not sent, and does not refuse the others. Raises only where the batch as a
        whole was refused. Its retry is idempotent, because every item has a key.
        """
        results: list[BatchResult | Mapping[str, Any]] = []
        for item in items:
            try:
                results.append({**checked(item["scope"]), **self._wanted(item)})
            except (KeyError, TypeError, ValueError) as error:
                refused = InvalidRequestError(str(error), "invalid_request", 422, credits_charged=0)
                results.append(BatchResult(str(item.get("idempotency_key", "")), error=refused))
        wire = [one for one in results if not isinstance(one, BatchResult)]
        if not wire:
            return [one for one in results if isinstance(one, BatchResult)]
        call = Call("POST", "/v2/platform/inventory-refreshes/batch", {"items": wire})
        success = yield from self._transport.call(call, options)
        given = success.data.get("items")
        if not isinstance(given, list) or len(given) != len(wire):
            raise unexpected("items")
        following = iter(given)
        return [
            one if isinstance(one, BatchResult) else _batch_result(next(following), one, success)
            for one in results
        ]

    @operation
    def status(self, refresh_id: str, **options: Unpack[StatusOptions]) -> Flow[RefreshAnswer]:
        path, wait = with_query(refresh_path(refresh_id), options), options.get("wait") or 0
        return _answer((yield from self._transport.call(Call("GET", path, wait=wait), options)))

    @operation
    def cancel(self, refresh_id: str, **options: Unpack[CallOptions]) -> Flow[RefreshAnswer]:
        """Raises ConflictError when the refresh was completed before."""
        failures: list[InventoryError] = []
        call = Call("POST", f"{refresh_path(refresh_id)}/cancel")
        try:
            return _answer((yield from self._transport.call(call, options, failures)))
        except ConflictError:
            # A cancellation whose response was lost is a success, not a conflict.
            if not failures:
                raise
            answer = yield from RefreshCalls.status.flow(self, refresh_id, **options)
            if answer.record["outcome"] != "cancelled":
                raise
            return answer

    @operation
    def list_refreshes(
        self, project_id: str, **options: Unpack[RefreshListOptions]
    ) -> Flow[RefreshPage]:
        """One page of a Project's refreshes, newest first."""
        return self._list(project_path(project_id, "inventory-refreshes"), options)

    @iteration
    def refreshes(
        self, project_id: str, **options: Unpack[RefreshListOptions]
    ) -> Walk[RefreshRecord]:
        """All of a Project's refreshes, newest first."""
        return self._items(project_path(project_id, "inventory-refreshes"), options)

    @operation
    def wait_for_refresh(
        self, refresh_id: str, **options: Unpack[WaitOptions]
    ) -> Flow[RefreshAnswer]:
        """Polls by Retry-After until collection and billing are terminal, whatever the outcome is.

        Raises RefreshNotFinishedError at the deadline; call it again, also in another process.
        """
        return (yield from self._wait(refresh_id, None, self._ends_at(options), options))

    @operation
    def refresh_and_wait(
        self, scope: Scope, **options: Unpack[RefreshAndWaitOptions]
    ) -> Flow[RefreshAnswer]:
        """`refresh`, then `wait_for_refresh`, with one deadline."""
        ends_at = self._ends_at(options)
        wanted: Any = {**options, "deadline": ends_at - self._environment.now()}
        accepted = yield from RefreshCalls.refresh.flow(self, scope, **wanted)
        return (yield from self._wait(accepted.record["refresh_id"], accepted, ends_at, options))

    def _wanted(self, options: Mapping[str, Any]) -> dict[str, Any]:
        wanted = {
            "max_credits": options.get("max_credits", _max_credits_default),
            "language": options.get("language"),
            "max_age_seconds": options.get("max_age"),
            "idempotency_key": self._key(options),
        }
        whole("max_credits", wanted["max_credits"], 1)
        whole("max_age", wanted["max_age_seconds"] or 0, 0, 86_400)
        return present(wanted)

    def _ends_at(self, options: Mapping[str, Any]) -> float:
        deadline: float = options.get("deadline", _workflow_default)
        return self._environment.now() + deadline

    def _wait(
        self,
        refresh_id: str,
        accepted: RefreshAnswer | None,
        ends_at: float,
        options: Mapping[str, Any],
    ) -> Flow[RefreshAnswer]:
        now, chance = self._environment.now, self._environment.chance
        on_progress: Callable[[RefreshStatus], object] = options.get("on_progress", ignored)
        latest = accepted or (yield from self._poll(refresh_id, ends_at))
        while True:
            yield Effect(on_progress(latest.record))
            # Billing is part of completion.
            billing = latest.record["billing"]["state"]
            if latest.record["state"] == "completed" and billing == "finalized":
                return latest
            seconds = _fallback_seconds if latest.retry_after is None else latest.retry_after
            delay = after(seconds, chance())
            if now() + delay >= ends_at:
                raise RefreshNotFinishedError(refresh_id)
            yield from self._transport.sleep(delay)
            latest = yield from self._poll(refresh_id, ends_at)

    def _poll(self, refresh_id: str, ends_at: float) -> Flow[RefreshAnswer]:
        deadline = ends_at - self._environment.now()
        try:
            return (yield from RefreshCalls.status.flow(self, refresh_id, deadline=deadline))
        except InventoryError as error:
            if not error.retryable:
                raise
            # Retried until the deadline: the error is the cause of the unfinished wait.
            raise RefreshNotFinishedError(refresh_id) from error


def _answer(success: Success) -> RefreshAnswer:
    record = _checked_record(success.data)
    return RefreshAnswer(record, success.meta, success.retry_after, success.replayed)


def _checked_record(record: Any) -> RefreshStatus:
    """The fields that the client relies on are checked; the others are passed on unchanged."""
    for name in ("refresh_id", "state"):
        if text_in(record.get(name)) is None:
            raise unexpected(name)
    if text_in(fields(record.get("billing")).get("state")) is None:
        raise unexpected("billing")
    return cast(RefreshStatus, record)


def _batch_result(result: Any, wire: Mapping[str, Any], success: Success) -> BatchResult:
    key, given, request_id = wire["idempotency_key"], fields(result), success.meta["request_id"]
    if given.get("idempotency_key") != key:
        raise unexpected("idempotency_key")
    retry_after = number_in(given.get("retry_after_seconds"))
    if given.get("success") is True:
        record, meta = _checked_record(fields(given.get("data"))), fields(given.get("meta"))
        replayed = given.get("idempotency_replayed") is True
        answer = RefreshAnswer(record, {**success.meta, **meta}, retry_after, replayed)
        return BatchResult(key, answer)
    status = number_in(given.get("status"))
    if status is None or "error" not in given:
        raise unexpected("error")
    return BatchResult(key, None, api_error(given, f"item {key}", status, request_id, retry_after))
