import type { AccountId } from '@inventory/contracts/ids';
import type { quarantineList, verifyReport } from '@inventory/contracts/internal/ledger';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { MessageBus, ReceivedMessageOf } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { isoTime, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { newProjectId, newRefreshId, newRequestId } from '@inventory/testkit/builders';
import type { z } from 'zod';
import type { StatementRow } from './fake-ledger-reads.ts';
import { createFakePriceLists } from './fake-price-lists.ts';
import { createFakeTerms } from './fake-terms.ts';
import { type HttpFake, jsonResponse, noRouteResponse, startHttpFake } from './http-fake.ts';
import { createSightings } from './sightings.ts';

type Entry = MessageBody<'billing.grant.v1'> | MessageBody<'billing.adjust.v1'>;

/** A ledger as an operator sees it: grants, adjustments, balances, holds, statements. */
export interface FakeBooks {
  readonly http: HttpFake;
  /** Every command that came, repetitions included. */
  readonly commands: Entry[];
  /** Books so many entries of one credit each. */
  grant(accountId: string, entries: number): void;
  /** False keeps an answer back; the entry is booked all the same. */
  responses: boolean;
  /** Refuses every new entry with this code; null books as usual. */
  refusesWith: BillingOutcome['refusal'];
  report: z.input<typeof verifyReport>;
  quarantined: z.input<typeof quarantineList>['accounts'];
  close(): Promise<void>;
}

export const holdsOfEveryAccount = 3;
const holds = Array.from({ length: holdsOfEveryAccount }, (_, index) => ({
  project_id: newProjectId(),
  refresh_id: newRefreshId(),
  asset: 'credits',
  amount: 125,
  price_version: 1,
  // Two at the same time, and not in the order of their ids.
  reserved_at: isoTime(Date.UTC(2026, 0, 1) + Math.floor(index / 2)),
}));

export async function startFakeBooks(bus: MessageBus): Promise<FakeBooks> {
  const rows = new Map<AccountId, StatementRow[]>();
  const terms = createFakeTerms();
  const priceLists = createFakePriceLists();
  const sightings = createSightings();
  const decided = new Map<string, { content: string; outcome: BillingOutcome }>();

  function availableOf(accountId: AccountId): number {
    return rows.get(accountId)?.at(-1)?.available_after ?? 0;
  }

  function refusalOf(entry: Entry, content: string): BillingOutcome['refusal'] {
    const known = decided.get(entry.commandId);
    const available = availableOf(entry.accountId);
    if (known && known.content !== content) {
      return { code: 'idempotency_conflict' };
    }
    if (fake.refusesWith) return fake.refusesWith;
    if (available + entry.amount >= 0) return null;
    return { code: `insufficient_${entry.asset}`, detail: { required: -entry.amount, available } };
  }

  function book(kind: 'grant' | 'adjust', entry: Entry): BillingOutcome {
    const content = JSON.stringify(entry);
    const known = decided.get(entry.commandId);
    if (known?.content === content) return known.outcome;
    const refusal = refusalOf(entry, content);
    const outcome = outcomeOf(kind, entry, refusal);
    if (!known) decided.set(entry.commandId, { content, outcome });
    if (!refusal) append(kind, entry, outcome);
    return outcome;
  }

  function outcomeOf(
    kind: 'grant' | 'adjust',
    entry: Entry,
    refusal: BillingOutcome['refusal'],
  ): BillingOutcome {
    const { accountId, requestId, commandId, asset } = entry;
    const available = availableOf(accountId) + (refusal ? 0 : entry.amount);
    return {
      commandId,
      kind,
      accountId,
      requestId,
      asset,
      refusal,
      result: refusal ? 'refused' : 'applied',
      seq: (rows.get(accountId)?.length ?? 0) + 1,
      atMs: systemClock.now(),
      ...{ projectId: null, refreshId: null, productCode: null, priceVersion: null },
      ...{ amountReserved: 0, amountCharged: 0, amountReleased: 0, disposition: null },
      balance: { total: available, held: 0, available },
      creditsAvailable: null,
    };
  }

  function append(kind: 'grant' | 'adjust', entry: Entry, outcome: BillingOutcome): void {
    const row: StatementRow = {
      ...{ entry_id: `${entry.accountId}/${outcome.seq}`, at: isoTime(outcome.atMs), kind },
      ...{ asset: entry.asset, change_available: entry.amount, change_held: 0 },
      ...{ available_after: outcome.balance.available, held_after: 0 },
      ...{ product_code: null, price_version: null, project_id: null, refresh_id: null },
      ...{ request_id: entry.requestId, reason: entry.reason },
    };
    rows.set(entry.accountId, [...(rows.get(entry.accountId) ?? []), row]);
  }

  async function onEntry(
    message: ReceivedMessageOf<'billing.grant.v1'> | ReceivedMessageOf<'billing.adjust.v1'>,
  ): Promise<void> {
    const { type, body, id, waitingId } = message;
    if (sightings.isFirst(message)) fake.commands.push(body);
    const outcome = book(type === 'billing.grant.v1' ? 'grant' : 'adjust', body);
    if (!fake.responses || waitingId === undefined) return;
    const reply = { waitingId, outcome, deadlineAtMs: null, retryAfterSeconds: null };
    await bus.publish([{ type: 'reply.billing-outcome.v1', id: `reply:${id}`, body: reply }]);
  }

  async function onConfigure(message: ReceivedMessageOf<'billing.configure.v1'>): Promise<void> {
    const { body, id, waitingId } = message;
    const outcome = terms.configure(body);
    if (!fake.responses || waitingId === undefined) return;
    const reply = { waitingId, outcome, deadlineAtMs: null, retryAfterSeconds: null };
    await bus.publish([{ type: 'reply.billing-outcome.v1', id: `reply:${id}`, body: reply }]);
  }

  const http = await startHttpFake((url, request) => {
    if (url.pathname.startsWith('/price-lists')) return priceLists(url, request);
    if (url.pathname === '/verify') return jsonResponse(fake.report);
    if (url.pathname === '/quarantine') return jsonResponse({ accounts: fake.quarantined });
    const [, accounts, id = '', part] = url.pathname.split('/');
    if (accounts === 'quarantine') {
      const isThere = fake.quarantined.some(({ account_id }) => account_id === id);
      fake.quarantined = fake.quarantined.filter(({ account_id }) => account_id !== id);
      return jsonResponse({ account_id: id, lifted: isThere });
    }
    const account_id = id as AccountId;
    if (accounts !== 'accounts') return noRouteResponse;
    const available = availableOf(account_id);
    const booked = rows.get(account_id) ?? [];
    switch (part) {
      case 'balance':
        return jsonResponse({
          account_id,
          as_of_seq: booked.length,
          funding: 'credits',
          balances: [{ asset: 'credits', total: available, held: 0, available }],
        });
      case 'holds':
        return jsonResponse({ items: holds.map((hold) => ({ account_id, ...hold })) });
      case 'terms':
        return jsonResponse(terms.of(account_id));
      case 'statement':
        return jsonResponse(statementPart(booked, url.searchParams));
      default:
        return noRouteResponse;
    }
  });

  const fake: FakeBooks = {
    http,
    commands: [],
    grant(owner, entries) {
      const accountId = owner as AccountId;
      for (let at = 0; at < entries; at += 1) {
        const commandId = systemIdentifiers.uuidV7();
        const entry = { accountId, requestId: newRequestId(), asset: 'credits' as const };
        book('grant', { commandId, ...entry, amount: 1, reason: 'top-up' });
      }
    },
    responses: true,
    refusesWith: null,
    report: {
      ok: true,
      started_at: '2026-10-05T03:10:00.000Z',
      finished_at: '2026-10-05T03:10:01.000Z',
      accounts: 1,
      entries: 1,
      problems: [],
    },
    quarantined: [],
    close: () => http.close(),
  };
  await bus.consume({
    group: 'fake-books',
    topics: ['billing.commands.v1'],
    onBatch: byKey(
      {
        'billing.grant.v1': onEntry,
        'billing.adjust.v1': onEntry,
        'billing.configure.v1': onConfigure,
      },
      50,
    ),
  });
  return fake;
}

function statementPart(booked: readonly StatementRow[], query: URLSearchParams) {
  const after = Number(query.get('after_seq'));
  const limit = Number(query.get('limit'));
  const end = after + limit;
  return {
    items: booked.slice(after, end),
    next_after_seq: end < booked.length ? end : null,
  };
}
