"""Pages of Current, Live Page and Changes. Each is charged once: its retries have one key."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Unpack

from .answers import number_in, unexpected
from .api import Api, page_with
from .flows import Flow, Walk, iteration, operation
from .options import CallOptions, ChangesOptions, ChangesPageOptions, CurrentPageOptions
from .options import CurrentPagesOptions, LivePageOptions, LivePagesOptions
from .paths import checked_revision, inventory_path, with_query
from .records import DescribedAsset, PageAnswer
from .transport import paid_read
from .wire import ChangesPage, CurrentPage, InventorySummary, LivePage, Scope


class PageCalls(Api):
    @operation
    def summary(self, scope: Scope, **options: Unpack[CallOptions]) -> Flow[InventorySummary]:
        """Free: what is saved of an inventory, without its rows."""
        return self._data(f"{inventory_path(scope)}/summary", options, "revision_id")

    @operation
    def current_page(
        self, scope: Scope, **options: Unpack[CurrentPageOptions]
    ) -> Flow[PageAnswer[CurrentPage]]:
        """One page of the saved inventory; with `asset_ids` that of these assets."""
        path = f"{inventory_path(scope)}/current"
        answer = yield from self._page(path, options, "assets", "descriptions")
        # It may exceed 2^53, and is exact.
        if number_in(answer.page.get("total_amount")) is None:
            raise unexpected("total_amount")
        return answer

    @iteration
    def current_pages(
        self, scope: Scope, **options: Unpack[CurrentPagesOptions]
    ) -> Walk[PageAnswer[CurrentPage]]:
        """Pages of one saved revision: the latest one when the first page is read."""
        return self._pages(PageCalls.current_page.flow, options, scope)

    @iteration
    def current_assets(
        self, scope: Scope, **options: Unpack[CurrentPagesOptions]
    ) -> Walk[DescribedAsset]:
        """The assets of `current_pages`, each with its description."""
        return self._pages(PageCalls.current_page.flow, options, scope, items=_assets)

    @operation
    def live_page(
        self, scope: Scope, **options: Unpack[LivePageOptions]
    ) -> Flow[PageAnswer[LivePage]]:
        """One page read from the platform during the request."""
        return self._page(inventory_path(scope), options, "assets", "descriptions")

    @iteration
    def live_pages(
        self, scope: Scope, **options: Unpack[LivePagesOptions]
    ) -> Walk[PageAnswer[LivePage]]:
        """Pages read from the platform, each when the loop requests it."""
        return self._pages(PageCalls.live_page.flow, options, scope)

    @iteration
    def live_assets(
        self, scope: Scope, **options: Unpack[LivePagesOptions]
    ) -> Walk[DescribedAsset]:
        """The assets of `live_pages`, each with its description."""
        return self._pages(PageCalls.live_page.flow, options, scope, items=_assets)

    @operation
    def changes_page(
        self, scope: Scope, since: str, **options: Unpack[ChangesPageOptions]
    ) -> Flow[PageAnswer[ChangesPage]]:
        """One page of what changed since a revision; no difference is one page, free.

        CursorExpiredError where the revision is too old; `detail["revision_id"]` is the latest.
        """
        path = f"{inventory_path(scope)}/changes"
        query = {"since": checked_revision(since), **options}
        lists = ("added", "removed", "changed", "descriptions")
        return self._page(path, query, *lists)

    @iteration
    def changes(
        self, scope: Scope, since: str, **options: Unpack[ChangesOptions]
    ) -> Walk[PageAnswer[ChangesPage]]:
        """Every page of what changed, up to the revision that is the latest when the first is read.

        Once all are applied, `to_revision_id` is the `since` of the next call.
        """
        return self._pages(PageCalls.changes_page.flow, options, scope, since)

    def _page(self, path: str, options: Mapping[str, Any], *lists: str) -> Flow[PageAnswer[Any]]:
        call = paid_read(with_query(path, options), self._key(options))
        success = yield from self._transport.call(call, options)
        return PageAnswer(page_with(success, *lists), success.meta, success.replayed)

    def _pages(
        self,
        read: Callable[..., Flow[Any]],
        options: Mapping[str, Any],
        *of: Any,
        items: Callable[[Any], Any] = lambda answer: (answer,),
    ) -> Walk[Any]:
        return self._walk(
            lambda cursor: read(self, *of, **{**options, "cursor": cursor}),
            options.get("cursor"),
            items,
            lambda answer: answer.page["pagination"],
        )


def _assets(answer: PageAnswer[Any]) -> Iterator[DescribedAsset]:
    """Each asset with its description, joined within its page."""
    by_pair = {(one["classid"], one["instanceid"]): one for one in answer.page["descriptions"]}
    for asset in answer.page["assets"]:
        yield DescribedAsset(asset, by_pair.get((asset["classid"], asset["instanceid"])))
