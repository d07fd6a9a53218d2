import type { AccountId } from '@inventory/contracts/ids';
import type { accountTerms } from '@inventory/contracts/internal/ledger';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { systemClock } from '@inventory/runtime/clock';
import type { z } from 'zod';

type Configure = MessageBody<'billing.configure.v1'>;
type AccountTerms = z.input<typeof accountTerms>;

/** What accounts were configured to, as the ledger would show it. */
export interface FakeTerms {
  /** The same id again changes nothing; with other content it conflicts. */
  configure(command: Configure): BillingOutcome;
  of(accountId: AccountId): AccountTerms;
}

const month = { starts_at: '2026-11-01T00:00:00.000Z', ends_at: '2026-12-01T00:00:00.000Z' };

export function createFakeTerms(): FakeTerms {
  const known = new Map<string, string>();
  const terms = new Map<AccountId, AccountTerms>();
  const of = (account_id: AccountId): AccountTerms =>
    terms.get(account_id) ?? {
      account_id,
      as_of_seq: 0,
      funding: { mode: 'credits' },
      spend_caps: [],
      credential_spend_caps: [],
      balance_alert: null,
    };

  return {
    of,
    configure(command) {
      const { accountId, commandId } = command;
      const content = JSON.stringify(command);
      const before = known.get(commandId);
      if (before === undefined) {
        known.set(commandId, content);
        terms.set(accountId, changed(of(accountId), command));
      }
      return outcomeOf(command, before === undefined || before === content);
    },
  };
}

function changed(terms: AccountTerms, { change }: Configure): AccountTerms {
  const next = { ...terms, as_of_seq: terms.as_of_seq + 1 };
  switch (change.sets) {
    case 'funding': {
      const { funding } = change;
      if (funding.mode === 'credits') return { ...next, funding };
      const { mode, unitsPerMonth: available } = funding;
      const units = { total: available, held: 0, available };
      return { ...next, funding: { mode, units_per_month: available, period: month, units } };
    }
    case 'spend_cap': {
      const others = terms.spend_caps.filter(({ project_id }) => project_id !== change.projectId);
      if (change.cap === null) return { ...next, spend_caps: others };
      const { projectId: project_id, cap } = change;
      const added = { project_id, cap, spent: 0, resets_at: month.ends_at };
      return { ...next, spend_caps: [...others, added] };
    }
    case 'credential_spend_cap': {
      const { credentialId: credential_id, cap } = change;
      const known = terms.credential_spend_caps ?? [];
      const others = known.filter((one) => one.credential_id !== credential_id);
      if (cap === null) return { ...next, credential_spend_caps: others };
      const added = { credential_id, cap, spent: 0, resets_at: month.ends_at };
      return { ...next, credential_spend_caps: [...others, added] };
    }
    case 'balance_alert': {
      const { threshold } = change;
      return { ...next, balance_alert: threshold === null ? null : { threshold } };
    }
  }
}

function outcomeOf(
  { accountId, commandId, requestId }: Configure,
  isApplied: boolean,
): BillingOutcome {
  return {
    ...{ commandId, kind: 'configure', accountId, requestId, asset: 'credits' },
    result: isApplied ? 'applied' : 'refused',
    refusal: isApplied ? null : { code: 'idempotency_conflict' },
    seq: 1,
    atMs: systemClock.now(),
    ...{ projectId: null, refreshId: null, productCode: null, priceVersion: null },
    ...{ amountReserved: 0, amountCharged: 0, amountReleased: 0, disposition: null },
    balance: { total: 0, held: 0, available: 0 },
    creditsAvailable: null,
  };
}
