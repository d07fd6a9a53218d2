import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { RequestReplyClient } from '../commands/request-reply-client.ts';
import type { CursorSealer } from '../http/sealed-cursor.ts';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import type { LedgerClient } from './ledger-client.ts';

/** What an account has, pays and was charged. */
export interface AccountServices {
  readonly ledger: LedgerClient;
  readonly tenancy: Tenancy;
  readonly commands: RequestReplyClient;
  readonly cursors: CursorSealer;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly decisionTimeoutMs: number;
  /** Requests per minute of a customer account for which none are set. */
  readonly customerRequestsPerMinute: number;
}
