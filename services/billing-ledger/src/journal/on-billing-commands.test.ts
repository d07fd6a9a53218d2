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
import { only } from '@inventory/testkit/only';
import { z } from 'zod';
import { loadingFrom, neverOutdated } from '../../test/support/loading.ts';
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
  productCode: 'platform.inventory.refresh.v1',
  maxCredits: 1_000,
  deadlineAtMs: Date.UTC(2026, 5, 1, 0, 30),
  retryAfterSeconds: 25,
};
const common = { accountId, projectId: newProjectId(), credentialId: null };

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
    quarantine: only(quarantine),
    rebuilds: only({ has: () => false }),
    prices: fixedPricesOf(createPriceBook([firstPriceList])),
    clock: only({ now: () => Date.UTC(2026, 5, 1) }),
    limits: { entriesMax: 100, bytesMax: 100_000 },
    onCommitted: () => {},
  });
  const onBatch = createOnBillingCommands(
    commitCommands,
    only({ publish: async (published) => void sent.push(...published) }),
    logger,
  );
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
    await onBatch([received as unknown as ReceivedMessage], reject, neverOutdated);
    return [...sent];
  };
  const grant = (amount: number, reason = 'top-up', waitingId?: string) =>
    send(
      'billing.grant.v1',
      {
        commandId: 'grant:1',
        accountId,
        requestId: newRequestId(),
        asset: 'credits',
        amount,
        reason,
      },
      waitingId,
    );
  return { send, grant, rejected, conflicts };
}

/** Throws where its body breaks its contract. */
const encode = ({ type, body }: OutgoingMessage) => z.encode<z.ZodType>(messages[type].body, body);

const outcomeOf = (message: OutgoingMessage | undefined): BillingOutcome => {
  if (message?.type === 'billing.outcome.v1') return message.body;
  if (message?.type === 'reply.billing-outcome.v1' && message.body.outcome) {
    return message.body.outcome;
  }
  throw new Error('not an outcome');
};

describe('The result of a billing command', () => {
  test('is one message where no refresh depends on it: a reply where its sender waits, else an outcome, with the balance after it', async () => {
    const announced = await startLedger().grant(500);
    const replied = await startLedger().grant(500, 'top-up', 'waiting-1');

    expect(announced.map(({ type }) => type)).toEqual(['billing.outcome.v1']);
    expect(replied).toMatchObject([
      { type: 'reply.billing-outcome.v1', body: { waitingId: 'waiting-1' } },
    ]);
    for (const [message] of [announced, replied]) {
      expect(outcomeOf(message)).toMatchObject({
        commandId: 'grant:1',
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
      commandId: `reserve:${refresh}`,
      ...common,
      refreshId: refresh,
      requestId: newRequestId(),
      ...hold,
    };

    const [reply, outcome] = await send('billing.reserve.v1', reserve, 'waiting-3');
    const again = await send('billing.reserve.v1', reserve, 'waiting-3');

    expect(reply?.body).toEqual({
      waitingId: 'waiting-3',
      outcome: outcome?.body,
      deadlineAtMs: Date.UTC(2026, 5, 1, 0, 30),
      retryAfterSeconds: 25,
    });
    expect(again).toEqual([reply, outcome]);
    for (const message of again) encode(message);
  });

  test('of an account in quarantine is a reply without an outcome where the sender waits, and a dead letter otherwise', async () => {
    const { send, grant, rejected } = startLedger({ ...emptyQuarantine, has: async () => true });
    const requestId = newRequestId();
    const reverse = { commandId: `reverse:${requestId}`, ...common, requestId };
    const productCode = 'platform.inventory.current.page.v1';
    const charge = { ...reverse, commandId: `charge:${requestId}`, productCode };

    const replies = [
      ...(await send('billing.charge.v1', charge, 'waiting-1')),
      ...(await send('billing.reverse.v1', reverse, 'waiting-2')),
      ...(await grant(5, 'top-up', 'waiting-3')),
    ];
    expect(rejected).toEqual([]);
    for (const reply of replies) encode(reply);
    expect(replies.map(({ body }) => body)).toMatchObject(
      [1, 2, 3].map((at) => ({ waitingId: `waiting-${at}`, outcome: null })),
    );

    const refreshId = newRefreshId();
    const subjects = { ...common, commandId: `reserve:${refreshId}`, refreshId, requestId };
    const reserve = { ...subjects, ...hold };
    await send('billing.reserve.v1', reserve, 'waiting-4');
    await send('billing.reverse.v1', reverse);
    expect(rejected).toEqual(['account_quarantined', 'account_quarantined']);
  });

  test('keeps its contract for every kind of command, applied and refused', async () => {
    const { send, grant } = startLedger();
    const [page, refresh, unknown] = [newRequestId(), newRefreshId(), newRefreshId()];
    const charge = { commandId: `charge:${page}`, ...common, requestId: page };
    const current = 'platform.inventory.current.page.v1';
    const outcomes = [
      ...(await send('billing.charge.v1', { ...charge, productCode: current })),
      ...(await grant(500)),
      ...(await send('billing.reserve.v1', {
        commandId: `reserve:${refresh}`,
        ...common,
        refreshId: refresh,
        requestId: newRequestId(),
        ...hold,
      })),
      ...(await send('billing.settle.v1', {
        commandId: `settle:${refresh}`,
        ...common,
        refreshId: refresh,
        outcome: 'complete_changed',
        observedAssets: 4_001,
      })),
      ...(await send('billing.release.v1', {
        commandId: `release:${unknown}`,
        ...common,
        refreshId: unknown,
      })),
      ...(await send('billing.reverse.v1', {
        commandId: `reverse:${page}`,
        ...common,
        requestId: page,
      })),
    ];

    for (const message of outcomes) encode(message);
    const summary = outcomes
      .map(outcomeOf)
      .map(({ kind, refusal, amountCharged, amountReleased }) => [
        kind,
        refusal?.code ?? 'applied',
        amountCharged,
        amountReleased,
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
      commandId: 'grant:1',
      result: 'refused',
      refusal: { code: 'idempotency_conflict' },
      balance: { total: 500, held: 0, available: 500 },
    });
    // An operator's key; ids of services are no one's choice, so theirs is an alarm.
    const refreshId = newRefreshId();
    const reserve = {
      ...common,
      commandId: `reserve:${refreshId}`,
      refreshId,
      ...hold,
    };
    await send('billing.reserve.v1', { ...reserve, requestId: newRequestId() });
    await send('billing.reserve.v1', {
      ...reserve,
      projectId: newProjectId(),
      requestId: newRequestId(),
    });
    expect(conflicts).toHaveLength(1);
  });
});
