"""The account. All of these calls are free; amounts are whole credits or units of any size."""

from typing import Unpack

from .api import Api
from .flows import Flow, Walk, iteration, operation
from .options import CallOptions, StatementOptions, UsageOptions
from .paths import project_path
from .wire import Account, Prices, Project, Statement, StatementItemsItem, Usage


class AccountCalls(Api):
    @operation
    def prices(self, **options: Unpack[CallOptions]) -> Flow[Prices]:
        return self._data("/v2/prices", options, "price_version")

    @operation
    def account(self, **options: Unpack[CallOptions]) -> Flow[Account]:
        """Balance, funding, limits, and the permissions of the Credential."""
        return self._data("/v2/account", options, "account_id")

    @operation
    def project(self, project_id: str, **options: Unpack[CallOptions]) -> Flow[Project]:
        """The Project of the Credential: its name, and what the Credential may do."""
        return self._data(project_path(project_id), options, "project_id")

    @operation
    def usage(self, **options: Unpack[UsageOptions]) -> Flow[Usage]:
        """By UTC day, Project and product; without days the present UTC month so far."""
        return self._data("/v2/account/usage", options, "items")

    @operation
    def statement_page(self, **options: Unpack[StatementOptions]) -> Flow[Statement]:
        """One page of the account's entries, oldest first."""
        return self._list("/v2/account/statement", options)

    @iteration
    def statement(self, **options: Unpack[StatementOptions]) -> Walk[StatementItemsItem]:
        """All entries, oldest first."""
        return self._items("/v2/account/statement", options)
