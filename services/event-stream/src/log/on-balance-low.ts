import type { Handlers } from '@inventory/messaging/dispatch';
import { type AnnounceBalanceDeps, announceBalance } from './announce-events.ts';

export function onBalanceLow(deps: AnnounceBalanceDeps): Handlers {
  return {
    'billing.balance-low.v1': ({ body }) =>
      announceBalance(deps, {
        accountId: body.account_id,
        threshold: body.threshold,
        available: body.available,
        entrySeq: body.entry_seq,
        at: body.at,
      }),
  };
}
