import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { MessageBus } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { settlementOf } from './saga-world.ts';

/** A ledger with the contract alone: recorded outcomes, one resolution per hold. */
export interface FakeLedger {
  /** Accounts whose reservations are refused. */
  readonly poor: Set<string>;
  /** Accounts whose Projects have spent what they may this month. */
  readonly capped: Set<string>;
  /** Accounts that pay with subscription units. */
  readonly subscribed: Set<string>;
  /** Accounts whose holds were lost, as after a restore from an older backup. */
  readonly forgetful: Set<string>;
  /** Refreshes whose next commands are dropped, as lost records would be, and how many. */
  readonly dropping: Map<string, number>;
  readonly outcomes: Map<string, BillingOutcome>;
  /** Resolutions of holds that were open; each refresh has one at most. */
  readonly resolved: string[];
}

/** What a command about a hold names. */
type Subject = MessageBody<'billing.release.v1'>;

const held = 125;
const capRefusal = {
  code: 'spend_cap_reached',
  detail: { cap: 200, spent: 176, resets_at: '2026-12-01T00:00:00.000Z' },
} as const;

export async function startFakeLedger(bus: MessageBus): Promise<FakeLedger> {
  const ledger: FakeLedger = {
    poor: new Set(),
    capped: new Set(),
    subscribed: new Set(),
    forgetful: new Set(),
    dropping: new Map(),
    outcomes: new Map(),
    resolved: [],
  };
  const open = new Set<string>();
  let seq = 0;

  function isDropped(refreshId: string): boolean {
    const left = ledger.dropping.get(refreshId) ?? 0;
    if (left > 0) ledger.dropping.set(refreshId, left - 1);
    return left > 0;
  }

  async function respond(
    { commandId, refreshId }: Pick<Subject, 'commandId' | 'refreshId'>,
    make: () => BillingOutcome,
    waiting: Pick<
      MessageBody<'reply.billing-outcome.v1'>,
      'waitingId' | 'deadlineAtMs' | 'retryAfterSeconds'
    > | null = null,
  ): Promise<void> {
    if (isDropped(refreshId)) return;
    const outcome = ledger.outcomes.get(commandId) ?? make();
    ledger.outcomes.set(commandId, outcome);
    // Twice: the handlers of outcomes are idempotent.
    const message = { type: 'billing.outcome.v1', id: commandId, body: outcome } as const;
    await bus.publish([message, message]);
    if (waiting === null) return;
    const body = { ...waiting, outcome };
    await bus.publish([{ type: 'reply.billing-outcome.v1', id: `reply:${commandId}`, body }]);
  }

  function outcomeOf(
    { commandId, accountId, projectId, refreshId }: Subject,
    fields: Pick<BillingOutcome, 'kind'> & Partial<BillingOutcome>,
  ): BillingOutcome {
    seq += 1;
    return {
      ...{ commandId, accountId, projectId, refreshId },
      requestId: null,
      result: 'applied',
      refusal: null,
      seq,
      atMs: Date.now(),
      asset: ledger.subscribed.has(accountId) ? 'units' : 'credits',
      productCode: 'platform.inventory.refresh.v1',
      priceVersion: 1,
      amountReserved: 0,
      amountCharged: 0,
      amountReleased: 0,
      disposition: null,
      balance: { total: 1_000, held: 0, available: 1_000 },
      creditsAvailable: null,
      ...fields,
    };
  }

  await bus.consume({
    group: 'fake-ledger',
    topics: ['billing.commands.v1'],
    onBatch: byKey(
      {
        'billing.reserve.v1': ({ body, waitingId }) => {
          const make = () => {
            if (ledger.poor.has(body.accountId)) {
              const refusal = {
                code: 'insufficient_credits',
                detail: { required: held, available: 3 },
              } as const;
              return outcomeOf(body, { kind: 'reserve', result: 'refused', refusal });
            }
            if (ledger.capped.has(body.accountId)) {
              return outcomeOf(body, { kind: 'reserve', result: 'refused', refusal: capRefusal });
            }
            open.add(body.refreshId);
            return outcomeOf(body, { kind: 'reserve', amountReserved: held });
          };
          const { deadlineAtMs, retryAfterSeconds } = body;
          const times = { deadlineAtMs, retryAfterSeconds };
          const waiting = waitingId === undefined ? null : { waitingId, ...times };
          return respond(body, make, waiting);
        },
        'billing.settle.v1': ({ body }) =>
          respond(body, () => {
            if (ledger.forgetful.has(body.accountId)) {
              const refusal = { code: 'hold_unknown', required: null, available: null } as const;
              return outcomeOf(body, { kind: 'settle', result: 'refused', refusal });
            }
            if (open.delete(body.refreshId)) ledger.resolved.push(body.refreshId);
            const { disposition } = settlementOf(body.outcome);
            const charged =
              disposition === 'finalize_complete'
                ? Math.min(held, Math.ceil((body.observedAssets ?? 0) / 2_000))
                : settlementOf(body.outcome).charged;
            return outcomeOf(body, {
              kind: 'settle',
              disposition,
              amountCharged: charged,
              amountReleased: held - charged,
            });
          }),
        'billing.release.v1': ({ body }) =>
          respond(body, () => {
            if (open.delete(body.refreshId)) ledger.resolved.push(body.refreshId);
            return outcomeOf(body, {
              kind: 'release',
              disposition: 'release',
              amountReleased: held,
            });
          }),
      },
      8,
    ),
  });
  return ledger;
}
