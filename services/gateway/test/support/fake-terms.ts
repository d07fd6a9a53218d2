import type { AccountId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import { isoTime, systemClock } from '@inventory/runtime/clock';

type Configure = MessageBody<'billing.configure.v1'>;

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
      balance_alert: null,
    };

  return {
    of,
    configure(command) {
      const { account_id, command_id } = command;
      const content = JSON.stringify(command);
      const before = known.get(command_id);
      if (before === undefined) {
        known.set(command_id, content);
        terms.set(account_id, changed(of(account_id), command));
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
      const available = funding.units_per_month;
      const units = { total: available, held: 0, available };
      return { ...next, funding: { ...funding, period: month, units } };
    }
    case 'spend_cap': {
      const others = terms.spend_caps.filter(({ project_id }) => project_id !== change.project_id);
      if (change.cap === null) return { ...next, spend_caps: others };
      const { project_id, cap } = change;
      const added = { project_id, cap, spent: 0, resets_at: month.ends_at };
      return { ...next, spend_caps: [...others, added] };
    }
    case 'balance_alert': {
      const { threshold } = change;
      return { ...next, balance_alert: threshold === null ? null : { threshold } };
    }
  }
}

function outcomeOf(
  { account_id, command_id, request_id }: Configure,
  isApplied: boolean,
): BillingOutcome {
  return {
    ...{ command_id, kind: 'configure', account_id, request_id, asset: 'credits' },
    result: isApplied ? 'applied' : 'refused',
    refusal: isApplied ? null : { code: 'idempotency_conflict' },
    seq: 1,
    at: isoTime(systemClock.now()),
    ...{ project_id: null, refresh_id: null, product_code: null, price_version: null },
    ...{ amount_reserved: 0, amount_charged: 0, amount_released: 0, disposition: null },
    balance: { total: 0, held: 0, available: 0 },
  };
}
