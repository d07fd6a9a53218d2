"""Delays, in seconds; `chance` is from 0 to less than 1."""

_first, _delay_max = 0.25, 8.0
# The largest jitter beside a share of Retry-After, so that clients spread out.
_jitter_share, _jitter_max = 0.25, 5.0
_reconnect_first, _reconnect_max = 1.0, 30.0


def after(seconds: float, chance: float) -> float:
    """The seconds, and up to a quarter more."""
    return seconds + min(_jitter_max, seconds * _jitter_share) * chance


def retry_delay(failures: int, retry_after: float | None, chance: float) -> float:
    """At least Retry-After, or exponential backoff with jitter in its upper half."""
    if retry_after is not None:
        return after(retry_after, chance)
    full = min(_delay_max, _first * 2.0 ** min(failures - 1, 10))
    return full / 2 + full / 2 * chance


def reconnect_delay(failures: int, retry_after: float | None, chance: float) -> float:
    """The requested delay, or exponential backoff with full jitter: readers that were disconnected
    together spread out."""
    if retry_after is not None:
        return after(retry_after, chance)
    return chance * min(_reconnect_max, _reconnect_first * 2.0 ** min(failures - 1, 10))
