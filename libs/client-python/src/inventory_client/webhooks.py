"""Webhooks: their signature, by the scheme of Standard Webhooks."""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from .errors import WebhookVerificationError
from .wire import ProjectEvent

# More signatures than secrets of any rotation.
_signatures_max = 16


class WebhookPing(TypedDict):
    """Sent to test an endpoint; it has no event."""

    type: Literal["webhook.ping"]
    id: str
    version: int
    occurred_at: str
    project_id: str
    data: dict[str, str]


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> ProjectEvent | WebhookPing:
    """Verifies a webhook and returns its event; raises WebhookVerificationError.

    `body` is the body as received, before any JSON parser; `secrets` are the endpoint's, `whsec_…`, two
    during a rotation; `tolerance` is in seconds, either way. An event may be delivered more than once:
    deduplicate by its `id`.
    """
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("At least one secret is required.")
    received = {name.lower(): value for name, value in headers.items()}
    event_id = received.get("webhook-id")
    timestamp = received.get("webhook-timestamp")
    signatures = received.get("webhook-signature")
    if not event_id or not timestamp or not signatures:
        raise WebhookVerificationError("headers_missing")
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("timestamp_malformed")
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else bytes(body)
    signed = f"{event_id}.{timestamp}.".encode("utf-8", "replace") + raw
    given = [_signature_of(one) for one in signatures.split(" ", _signatures_max)[:_signatures_max]]
    # Every pair is compared, so that the duration does not depend on which one matches.
    matches = [
        hmac.compare_digest(hmac.digest(key, signed, hashlib.sha256), one)
        for key in keys
        for one in given
    ]
    if not any(matches):
        raise WebhookVerificationError("signature_mismatch")
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance:
        raise WebhookVerificationError("timestamp_outside_tolerance")
    try:
        event: Any = json.loads(raw)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or "type" not in event:
        raise WebhookVerificationError("body_malformed")
    return cast(ProjectEvent | WebhookPing, event)


def _key_of(secret: str) -> bytes:
    encoded = secret.removeprefix("whsec_")
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        # The text is not quoted: it may be most of a secret.
        raise ValueError("A secret must be whsec_ and base64.") from None
    return key


def _signature_of(text: str) -> bytes:
    """Empty where it is of another scheme, or is no base64."""
    if not text.startswith("v1,"):
        return b""
    try:
        return base64.b64decode(text.removeprefix("v1,"), validate=True)
    except (binascii.Error, ValueError):
        return b""
