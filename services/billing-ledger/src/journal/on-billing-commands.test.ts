import { messages } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { OutgoingMessage, ReceivedMessage, RejectedMessage } from '@inventory/messaging/bus';
import { createLogger } from '@inventory/runtime/logger';
import {
  newAccountId,
  newProjectId,
  newRefreshId,
  newRequestId,
} from '@inventory/testkit/builders';
import { loadingFrom, neverBehind } from '../../test/support/loading.ts';
import { emptyQuarantine, neverRejected } from '../../test/support/no-quarantine.ts';
import { createStore } from '../../test/support/simulation/fake-journal.ts';
import { fixedPricesOf, reliable } from '../../test/support/stored-journal.ts';
import { createPriceBook, firstPriceList } from '../prices/price-list.domain.ts';
import { createAccountCache } from './account-cache.ts';
import { createCommitCommands } from './commit-commands.ts';
import { createOnBillingCommands } from './on-billing-commands.ts';
import { createRecentEntries } from './recent-entries.ts';

const accountId = newAccountId();
/** What each reserve says beside its ids. */
const hold = {
  product_code: 'platform.inventory.refresh.v1',
  max_credits: 1_000,
  deadline_at: '2026-06-01T00:30:00.000Z',
  retry_after_seconds: 25,
};
const common = { account_id: accountId, project_id: newProjectId() };

function startLedger(quarantine = emptyQuarantine) {
  const rejected: string[] = [];
  const conflicts: unknown[] = [];
  const logger = createLogger({ service: 'test', level: 'silent' });
  jest.spyOn(logger, 'warn').mockImplementation((fields) => void conflicts.push(fields));
  const journal = reliable(createStore({ uniqueIds: true, uniqueKeys: true }));
  const sent: OutgoingMessage[] = [];
  const commitCommands = createCommitCommands({
    journal,
    loadAccount: loadingFrom(journal),
    cache: createAccountCache(10),
    recent: createRecentEntries(100),
    quarantine,
    rebuilds: { has: () => false },
    prices: fixedPricesOf(createPriceBook([firstPriceList])),
    clock: { now: () => Date.UTC(2026, 5, 1) },
    limits: { entriesMax: 100, bytesMax: 100_000 },
    onCommitted: () => {},
  });
  const onBatch = createOnBillingCommands({
    commitCommands,
    bus: { publish: async (published) => void sent.push(...published) },
    logger,
  });
  const send = async (type: string, body: object, waitingId?: string) => {
    sent.length = 0;
    const message = {
      type,
      body,
      waitingId,
      trace: {},
      topic: 'billing.commands.v1',
      partition: 0,
    };
    const received = { ...message, id: 'id', offset: '0', writtenAtMs: 0, key: accountId };
    const reject =
      quarantine === emptyQuarantine
        ? neverRejected
        : ({ reason }: RejectedMessage) => void rejected.push(reason);
    await onBatch([received as unknown as ReceivedMessage], reject, neverBehind);
    return [...sent];
  };
  const grant = (amount: number, reason = 'top-up', waitingId?: string) =>
    send(
      'billing.grant.v1',
      {
        command_id: 'grant:1',
        account_id: accountId,
        request_id: newRequestId(),
        asset: 'credits',
        amount,
        reason,
      },
      waitingId,
    );
  return { send, grant, rejected, conflicts };
}

const outcomeOf = (message: OutgoingMessage | undefined): BillingOutcome => {
  if (message?.type === 'billing.outcome.v1') return message.body;
  if (message?.type === 'reply.billing-outcome.v1' && message.body.outcome) {
    return message.body.outcome;
  }
  throw new Error('not an outcome');
};

describe('The answer to a billing command', () => {
  test('is one message where no refresh depends on it: a reply where its sender waits, else an outcome, with the balance after it', async () => {
    const announced = await startLedger().grant(500);
    const replied = await startLedger().grant(500, 'top-up', 'waiting-1');

    expect(announced.map(({ type }) => type)).toEqual(['billing.outcome.v1']);
    expect(replied).toMatchObject([
      { type: 'reply.billing-outcome.v1', body: { waiting_id: 'waiting-1' } },
    ]);
    for (const [answer] of [announced, replied]) {
      expect(outcomeOf(answer)).toMatchObject({
        command_id: 'grant:1',
        result: 'applied',
        seq: 1,
        balance: { total: 500, held: 0, available: 500 },
      });
    }
  });

  test('to a reserve carries the queue deadline and the first Retry-After in its reply', async () => {
    const { send, grant } = startLedger();
    await grant(500);
    const refresh = newRefreshId();
    const reserve = {
      command_id: `reserve:${refresh}`,
      ...common,
      refresh_id: refresh,
      request_id: newRequestId(),
      ...hold,
    };

    const [reply, outcome] = await send('billing.reserve.v1', reserve, 'waiting-3');
    const again = await send('billing.reserve.v1', reserve, 'waiting-3');

    expect(messages['reply.billing-outcome.v1'].body.parse(reply?.body)).toEqual({
      waiting_id: 'waiting-3',
      outcome: outcome?.body,
      deadline_at: '2026-06-01T00:30:00.000Z',
      retry_after_seconds: 25,
    });
    expect(again).toEqual([reply, outcome]);
  });

  test('of an account in quarantine is a reply without an outcome where the sender waits, and a dead letter otherwise', async () => {
    const { send, grant, rejected } = startLedger({ ...emptyQuarantine, has: async () => true });
    const request_id = newRequestId();
    const reverse = { command_id: `reverse:${request_id}`, ...common, request_id };
    const product_code = 'platform.inventory.current.page.v1';
    const charge = { ...reverse, command_id: `charge:${request_id}`, product_code };

    const replies = [
      ...(await send('billing.charge.v1', charge, 'waiting-1')),
      ...(await send('billing.reverse.v1', reverse, 'waiting-2')),
      ...(await grant(5, 'top-up', 'waiting-3')),
    ];
    expect(rejected).toEqual([]);
    for (const { body } of replies) messages['reply.billing-outcome.v1'].body.parse(body);
    expect(replies.map(({ body }) => body)).toEqual(
      [1, 2, 3].map((at) => ({ waiting_id: `waiting-${at}`, outcome: null })),
    );

    const refresh_id = newRefreshId();
    const subjects = { ...common, command_id: `reserve:${refresh_id}`, refresh_id, request_id };
    const reserve = { ...subjects, ...hold };
    await send('billing.reserve.v1', reserve, 'waiting-4');
    await send('billing.reverse.v1', reverse);
    expect(rejected).toEqual(['account_quarantined', 'account_quarantined']);
  });

  test('keeps its contract for every kind of command, applied and refused', async () => {
    const { send, grant } = startLedger();
    const [page, refresh, unknown] = [newRequestId(), newRefreshId(), newRefreshId()];
    const charge = { command_id: `charge:${page}`, ...common, request_id: page };
    const current = 'platform.inventory.current.page.v1';
    const outcomes = [
      ...(await send('billing.charge.v1', { ...charge, product_code: current })),
      ...(await grant(500)),
      ...(await send('billing.reserve.v1', {
        command_id: `reserve:${refresh}`,
        ...common,
        refresh_id: refresh,
        request_id: newRequestId(),
        ...hold,
      })),
      ...(await send('billing.settle.v1', {
        command_id: `settle:${refresh}`,
        ...common,
        refresh_id: refresh,
        outcome: 'complete_changed',
        observed_assets: 4_001,
      })),
      ...(await send('billing.release.v1', {
        command_id: `release:${unknown}`,
        ...common,
        refresh_id: unknown,
      })),
      ...(await send('billing.reverse.v1', {
        command_id: `reverse:${page}`,
        ...common,
        request_id: page,
      })),
    ];

    for (const message of outcomes) messages['billing.outcome.v1'].body.parse(message.body);
    const summary = outcomes
      .map(outcomeOf)
      .map(({ kind, refusal, amount_charged, amount_released }) => [
        kind,
        refusal?.code ?? 'applied',
        amount_charged,
        amount_released,
      ]);
    expect(summary).toEqual([
      ['charge', 'insufficient_credits', 0, 0],
      ['grant', 'applied', 0, 0],
      ['reserve', 'applied', 0, 0],
      ['settle', 'applied', 3, 122],
      ['release', 'hold_unknown', 0, 0],
      ['reverse', 'charge_unknown', 0, 0],
    ]);
  });

  test('to an id with other content is idempotency_conflict in the reply, and else the recorded outcome', async () => {
    const { send, grant, conflicts } = startLedger();
    const [first] = await grant(500);

    const [reply] = await grant(700, 'top-up', 'waiting-2');
    const [announced] = await grant(700);
    expect(conflicts).toEqual([]);

    expect(announced).toEqual(first);
    expect(outcomeOf(reply)).toMatchObject({
      command_id: 'grant:1',
      result: 'refused',
      refusal: { code: 'idempotency_conflict' },
      balance: { total: 500, held: 0, available: 500 },
    });
    // An operator's key; ids of services are no one's choice, so theirs is an alarm.
    const refresh_id = newRefreshId();
    const reserve = {
      ...common,
      command_id: `reserve:${refresh_id}`,
      refresh_id,
      ...hold,
    };
    await send('billing.reserve.v1', { ...reserve, request_id: newRequestId() });
    await send('billing.reserve.v1', {
      ...reserve,
      project_id: newProjectId(),
      request_id: newRequestId(),
    });
    expect(conflicts).toHaveLength(1);
  });
});
