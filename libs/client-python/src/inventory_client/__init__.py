"""Client of the Game Item Inventory Service."""

from .client import AsyncInventoryClient, InventoryClient
from .errors import EventGap, ExportProgress, InventoryError
from .options import Interruption
from .records import BatchResult, DescribedAsset, PageAnswer, RefreshAnswer
from .webhooks import verify_webhook

__all__ = [
    "AsyncInventoryClient",
    "BatchResult",
    "DescribedAsset",
    "EventGap",
    "ExportProgress",
    "Interruption",
    "InventoryClient",
    "InventoryError",
    "PageAnswer",
    "RefreshAnswer",
    "verify_webhook",
]
