import type { Clock } from '@inventory/runtime/clock';
import { gauge } from '@inventory/runtime/instruments';
import type { JournalClock } from '../journal/journal-clock.ts';
import type { HoldWatch } from '../snapshots/old-holds.ts';

const cachedAccounts = gauge({
  name: 'inventory.ledger.accounts.cached',
  description: 'Accounts cached in memory',
});
const quarantinedAccounts = gauge({
  name: 'inventory.ledger.accounts.quarantined',
  description: 'Accounts in quarantine: their commands go to the dead letters',
});
const behindAccounts = gauge({
  name: 'inventory.ledger.accounts.behind',
  description: 'Accounts whose commands wait until this replica has rebuilt their snapshot',
});
const openHolds = gauge({
  name: 'inventory.ledger.holds.open',
  description: 'Open holds of the accounts cached by this replica',
});
const oldestHoldAge = gauge({
  name: 'inventory.ledger.holds.oldest.age',
  description:
    'Age of the oldest open hold, of cached accounts or, as last looked up, of all accounts; 0 when there is none',
  unit: 's',
});
const clockOffset = gauge({
  name: 'inventory.ledger.clock.offset',
  description: "How far the replica's clock is ahead of MongoDB's; negative behind it",
  unit: 's',
});

interface Sized {
  readonly size: number;
}

/** Reports the state of this replica. */
export function observeLedger({
  cache,
  quarantine,
  rebuilds,
  holds,
  journalClock,
  clock,
}: {
  readonly cache: Sized;
  readonly quarantine: Sized;
  readonly rebuilds: Sized;
  readonly holds: HoldWatch['holds'];
  readonly journalClock: Pick<JournalClock, 'offsetMs'>;
  readonly clock: Pick<Clock, 'now'>;
}): void {
  clockOffset.observe((observe) => {
    const offsetMs = journalClock.offsetMs();
    if (offsetMs !== null) observe(offsetMs / 1_000);
  });
  cachedAccounts.observe((observe) => observe(cache.size));
  quarantinedAccounts.observe((observe) => observe(quarantine.size));
  behindAccounts.observe((observe) => observe(rebuilds.size));
  openHolds.observe((observe) => observe(holds().open));
  oldestHoldAge.observe((observe) => {
    const { oldestAtMs } = holds();
    observe(oldestAtMs === null ? 0 : Math.max(0, clock.now() - oldestAtMs) / 1_000);
  });
}
