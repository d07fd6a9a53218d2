import type { AccountId, ProjectId } from '@inventory/contracts/ids';
import type {
  accountTerms,
  statementRow as statementRowSchema,
  usageReport,
} from '@inventory/contracts/internal/ledger';
import { type PriceSchedule, priceSchedule } from '@inventory/contracts/messages/price-list';
import { newProjectId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import { z } from 'zod';
import { type FakeResponse, jsonResponse, noRouteResponse, refusalResponse } from './http-fake.ts';

/** As on the wire. */
type AccountTerms = z.input<typeof accountTerms>;
export type StatementRow = z.input<typeof statementRowSchema>;
type UsageReport = z.input<typeof usageReport>;

/** What a ledger answers to reads. */
export interface LedgerReads {
  readonly prices: PriceSchedule;
  readonly balanceOf: (accountId: AccountId) => number;
  readonly terms: Map<AccountId, Terms>;
  readonly statements: Map<AccountId, StatementRow[]>;
  /** Queries of statements, the newest last. */
  readonly statementsAsked: Readonly<Record<string, string>>[];
  readonly usage: Map<AccountId, UsageReport['items'] | 'too_large'>;
}

export const firstPrices: PriceSchedule = {
  version: 1,
  effectiveAtMs: Date.UTC(2026, 0, 1),
  refreshReservation: 125,
  refreshBlock: 1,
  refreshBlockAssets: 2000,
  refreshDiagnostic: 1,
  watchChangedBlock: 1,
  watchUnchangedBlock: 1,
  livePage: 1,
  currentPage: 1,
  announced: [],
};
type Terms = Omit<AccountTerms, 'account_id' | 'as_of_seq'>;

const plainTerms = {
  funding: { mode: 'credits' },
  spend_caps: [],
  balance_alert: null,
} satisfies Terms;

export function respondToLedgerRead(url: URL, reads: LedgerReads): FakeResponse {
  if (url.pathname === '/prices') return jsonResponse(z.encode(priceSchedule, reads.prices));
  const [, accounts, id = '', part] = url.pathname.split('/');
  const accountId = id as AccountId;
  if (accounts !== 'accounts') return noRouteResponse;
  const subject = { account_id: accountId, as_of_seq: 1 };
  const terms = reads.terms.get(accountId) ?? plainTerms;
  switch (part) {
    case 'balance':
      return jsonResponse({ ...subject, ...balancesOf(reads.balanceOf(accountId), terms) });
    case 'terms':
      return jsonResponse({ ...subject, ...terms });
    case 'funds':
      return jsonResponse({ ...subject, ...fundsOf(reads.balanceOf(accountId), terms, url) });
    case 'statement':
      reads.statementsAsked.push(Object.fromEntries(url.searchParams));
      return jsonResponse(statementPart(reads.statements.get(accountId) ?? [], url.searchParams));
    case 'usage':
      if (reads.usage.get(accountId) === 'too_large')
        return refusalResponse({ code: 'usage_too_large' });
      return jsonResponse({
        as_of_seq: subject.as_of_seq,
        items: usagePart(usageOf(reads, accountId), url.searchParams),
      });
    default:
      return noRouteResponse;
  }
}

function fundsOf(available: number, terms: Terms, url: URL) {
  const projectId = url.searchParams.get('project_id');
  const credentialId = url.searchParams.get('credential_id');
  const { funding, spend_caps, credential_spend_caps = [] } = terms;
  return {
    asset: funding.mode === 'subscription' ? 'units' : 'credits',
    available: funding.mode === 'subscription' ? funding.units.available : available,
    spend_cap: spend_caps.find(({ project_id }) => project_id === projectId) ?? null,
    credential_spend_cap: credential_spend_caps.find((one) => one.credential_id === credentialId),
  };
}

function usageOf({ usage }: Pick<LedgerReads, 'usage'>, accountId: AccountId) {
  const items = usage.get(accountId);
  return items === undefined || items === 'too_large' ? [] : items;
}

function balancesOf(available: number, { funding }: Pick<AccountTerms, 'funding'>) {
  const credits = { asset: 'credits', total: available, held: 0, available };
  const units = funding.mode === 'subscription' ? [{ asset: 'units', ...funding.units }] : [];
  return { funding: funding.mode, balances: [credits, ...units] };
}

function statementPart(rows: readonly StatementRow[], query: URLSearchParams) {
  const after = Number(query.get('after_seq'));
  const limit = Number(query.get('limit'));
  const { from = '', to = 'z' } = Object.fromEntries(query);
  const wanted = [...rows.entries()].filter(
    ([index, { at }]) => index >= after && at >= from && at < to,
  );
  const items = wanted.slice(0, limit);
  const last = wanted.length > limit ? items.at(-1) : undefined;
  return { items: items.map(([, row]) => row), next_after_seq: last ? last[0] + 1 : null };
}

function usagePart(items: UsageReport['items'], query: URLSearchParams) {
  const { from = '', to = '', project_id } = Object.fromEntries(query);
  return items.filter(
    (item) =>
      item.day >= from &&
      item.day <= to &&
      (project_id === undefined || item.project_id === project_id),
  );
}

/** A charge of one page, one of so many. */
export function statementRow(seq: number, overrides: Partial<StatementRow> = {}): StatementRow {
  const at = new Date(Date.UTC(2026, 0, 1) + seq).toISOString();
  return {
    ...{ entry_id: `entry-${seq}`, at, kind: 'charge', asset: 'credits' },
    ...{ change_available: -1, change_held: 0, available_after: 1_000 - seq, held_after: 0 },
    ...{ product_code: 'platform.inventory.page.v1', price_version: 1 },
    ...{ project_id: newProjectId(), refresh_id: newRefreshId(), request_id: newRequestId() },
    ...{ reason: null },
    ...overrides,
  };
}

export function usageItem(day: string, project: ProjectId, charged = 1) {
  return {
    ...{ day, project_id: project, product_code: 'platform.inventory.page.v1' as const },
    ...{ asset: 'credits' as const, count: charged, charged, reversed: 0 },
  };
}
