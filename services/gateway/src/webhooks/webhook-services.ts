import type { InternalClient } from '@inventory/http/internal-client';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { PromisedSecrets } from '../secrets/promised-secrets.ts';

export interface WebhookServices {
  /** Of the event-stream. */
  readonly webhooks: InternalClient;
  readonly secrets: PromisedSecrets;
  readonly identifiers: Identifiers;
  readonly cursors: CursorSealer;
}
