"""Watches. All of these calls are free; each run of a watch costs by what it finds."""

from typing import Unpack

from .api import Api
from .errors import InventoryError, NotFoundError
from .flows import Flow, Walk, iteration, operation
from .options import CallOptions, WatchListOptions, WatchOptions, WatchRunsOptions
from .paths import project_path, watch_path, whole
from .transport import Call
from .wire import Scope, Watch, WatchRun, WatchTest


class WatchCalls(Api):
    @operation
    def watch(self, project_id: str, scope: Scope, **options: Unpack[WatchOptions]) -> Flow[Watch]:
        """Watches an inventory, or changes how; with `dry_run` nothing is stored."""
        whole("every_seconds", options["every_seconds"], 300, 604_800)
        body = {name: value for name, value in options.items() if name != "deadline"}
        call = Call("PUT", watch_path(project_id, scope), body)
        return self._sent(call, options, "watch_id")

    @operation
    def read_watch(
        self, project_id: str, scope: Scope, **options: Unpack[CallOptions]
    ) -> Flow[Watch]:
        return self._data(watch_path(project_id, scope), options, "watch_id")

    @operation
    def delete_watch(
        self, project_id: str, scope: Scope, **options: Unpack[CallOptions]
    ) -> Flow[None]:
        failures: list[InventoryError] = []
        call = Call("DELETE", watch_path(project_id, scope))
        try:
            yield from self._transport.call(call, options, failures)
        except NotFoundError:
            # One whose response was lost has deleted it.
            if not failures:
                raise

    @iteration
    def watches(self, project_id: str, **options: Unpack[WatchListOptions]) -> Walk[Watch]:
        """All of a Project's watches, by inventory."""
        return self._items(project_path(project_id, "watches"), options)

    @iteration
    def watch_runs(
        self, project_id: str, scope: Scope, **options: Unpack[WatchRunsOptions]
    ) -> Walk[WatchRun]:
        """The runs of a watch, newest first."""
        return self._items(f"{watch_path(project_id, scope)}/runs", options)

    @operation
    def test_watches(self, project_id: str, **options: Unpack[CallOptions]) -> Flow[WatchTest]:
        """Sends a signed sample of the event of a run to the webhook endpoints of the Project."""
        call = Call("POST", project_path(project_id, "watches/test"))
        return self._sent(call, options, "event_id")
