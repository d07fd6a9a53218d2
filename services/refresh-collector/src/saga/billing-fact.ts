import { type BillingOutcome, heldBy } from '@inventory/contracts/messages/billing';
import type { RefreshRefusal } from '@inventory/contracts/refusal';
import { attemptCancelled } from './refresh.domain.ts';
import type { Fact } from './refresh-fact.domain.ts';

/** The fact that a billing outcome reports of its refresh; null when it reports none. */
export function factOfBillingOutcome(outcome: BillingOutcome, nowMs: number): Fact | null {
  if (outcome.kind === 'reserve') {
    return outcome.result === 'applied'
      ? { fact: 'reserved', reservation: heldBy(outcome) }
      : { fact: 'reserve_refused', refusal: refusalOf(outcome.refusal) };
  }
  const resolves = outcome.kind === 'settle' || outcome.kind === 'release';
  if (!resolves) return null;
  if (outcome.result !== 'applied') {
    return outcome.refusal?.code === 'hold_unknown' ? { fact: 'hold_lost', atMs: nowMs } : null;
  }
  return {
    fact: 'settled',
    disposition: outcome.disposition ?? 'release',
    charged: outcome.amountCharged,
    released: outcome.amountReleased,
    atMs: nowMs,
  };
}

/** Any other code means that the hold was released before it was made: a cancel. */
function refusalOf(refused: BillingOutcome['refusal']): RefreshRefusal {
  switch (refused?.code) {
    case 'insufficient_credits':
    case 'insufficient_units':
    case 'spend_cap_reached':
      return refused;
    default:
      return attemptCancelled;
  }
}
