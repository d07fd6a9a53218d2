"""One implementation for both clients.

A flow is a generator that yields what its client has to settle: a value where the client is
synchronous, something to await where it is not. An iteration also yields its items.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial, update_wrapper
from inspect import isawaitable, iscoroutine, signature
from typing import Any, Concatenate, Generic, NewType, ParamSpec, TypeAlias, TypeVar
from typing import cast, get_args, overload

P = ParamSpec("P")
T = TypeVar("T")

Effect = NewType("Effect", object)
Flow: TypeAlias = Generator[Effect, Any, T]


def ignored(_value: object) -> None:
    """A callback that is absent."""


class Item(Generic[T]):
    """One item of an iteration."""

    def __init__(self, value: T) -> None:
        self.value = value


Walk: TypeAlias = Generator[Item[T] | Effect, Any, Any]
Step: TypeAlias = Callable[[], Any]


class _Left(BaseException):
    """The loop was left. Unlike GeneratorExit it lets the flow close its connection."""


class SyncRunner:
    """Settles the effects of flows at once."""

    def _run(self, flow: Generator[Any, Any, Any], step: Step | None = None) -> Any:
        """Until the result, or the next item."""
        step = step or partial(flow.send, None)
        while True:
            try:
                effect = step()
            except StopIteration as end:
                return end.value
            if isinstance(effect, Item):
                return effect
            step = partial(flow.send, effect)
            if isawaitable(effect):
                if iscoroutine(effect):
                    effect.close()
                error = TypeError("Callbacks of InventoryClient must not be async.")
                step = partial(flow.throw, error)

    def _iterate(self, walk: Walk[T]) -> Generator[T, None, None]:
        try:
            while isinstance(item := self._run(walk), Item):
                yield item.value
        finally:
            with suppress(_Left):
                self._run(walk, partial(walk.throw, _Left()))


class AsyncRunner:
    """Awaits the effects of flows."""

    async def _run(self, flow: Generator[Any, Any, Any], step: Step | None = None) -> Any:
        """Until the result, or the next item."""
        step = step or partial(flow.send, None)
        while True:
            try:
                effect = step()
            except StopIteration as end:
                return end.value
            if isinstance(effect, Item):
                return effect
            try:
                value = await effect if isawaitable(effect) else effect
                step = partial(flow.send, value)
            except BaseException as error:
                # Thrown later, so that no other error has it as its context.
                step = partial(flow.throw, error)

    async def _iterate(self, walk: Walk[T]) -> AsyncGenerator[T, None]:
        try:
            while isinstance(item := await self._run(walk), Item):
                yield item.value
        finally:
            with suppress(_Left):
                await self._run(walk, partial(walk.throw, _Left()))


class _Method(Generic[P]):
    """A generator function as a method of both clients."""

    runner = "_run"

    def __init__(self, flow: Callable[Concatenate[Any, P], Any]) -> None:
        self._function = flow
        update_wrapper(cast(Any, self), flow)
        parameters = signature(flow).parameters
        options = get_args(parameters["options"].annotation)[0]
        self._names = options.__optional_keys__ | options.__required_keys__ | {*parameters}

    def bound(self, client: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            # A misspelt option would be its default.
            for name in kwargs.keys() - self._names:
                raise TypeError(f"There is no option {name[:50]}.")
            return getattr(client, self.runner)(self._function(client, *args, **kwargs))

        return update_wrapper(call, self._function)


class operation(_Method[P], Generic[P, T]):
    """A flow as a method: of the synchronous client a function, of the other one a coroutine."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        super().__init__(flow)
        self.flow = flow

    @overload
    def __get__(self, client: None, owner: Any) -> operation[P, T]: ...
    @overload
    def __get__(self, client: SyncRunner, owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncRunner, owner: Any) -> Callable[P, Awaitable[T]]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        return self if client is None else self.bound(client)


class iteration(_Method[P], Generic[P, T]):
    """A walk as a method: of the synchronous client a generator, of the other one an async one."""

    runner = "_iterate"

    def __init__(self, walk: Callable[Concatenate[Any, P], Walk[T]]) -> None:
        super().__init__(walk)

    @overload
    def __get__(self, client: None, owner: Any) -> iteration[P, T]: ...
    @overload
    def __get__(self, client: SyncRunner, owner: Any) -> Callable[P, Generator[T, None, None]]: ...
    @overload
    def __get__(self, client: AsyncRunner, owner: Any) -> Callable[P, AsyncGenerator[T, None]]: ...
    def __get__(self, client: Any, owner: Any) -> Any:
        return self if client is None else self.bound(client)
