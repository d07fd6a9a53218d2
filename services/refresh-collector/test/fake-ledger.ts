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

  async function answer(
    { command_id: commandId, refresh_id }: { command_id: string; refresh_id: string },
    make: () => BillingOutcome,
    waiting: Pick<
      MessageBody<'reply.billing-outcome.v1'>,
      'waiting_id' | 'deadline_at' | 'retry_after_seconds'
    > | null = null,
  ): Promise<void> {
    if (isDropped(refresh_id)) return;
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
    command: {
      command_id: string;
      account_id: BillingOutcome['account_id'];
      project_id: NonNullable<BillingOutcome['project_id']>;
      refresh_id: string;
    },
    fields: Pick<BillingOutcome, 'kind'> & Partial<BillingOutcome>,
  ): BillingOutcome {
    seq += 1;
    return {
      command_id: command.command_id,
      account_id: command.account_id,
      project_id: command.project_id,
      refresh_id: command.refresh_id,
      request_id: null,
      result: 'applied',
      refusal: null,
      seq,
      at: new Date().toISOString(),
      asset: ledger.subscribed.has(command.account_id) ? 'units' : 'credits',
      product_code: 'platform.inventory.refresh.v1',
      price_version: 1,
      amount_reserved: 0,
      amount_charged: 0,
      amount_released: 0,
      disposition: null,
      balance: { total: 1_000, held: 0, available: 1_000 },
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
            if (ledger.poor.has(body.account_id)) {
              const refusal = {
                code: 'insufficient_credits',
                detail: { required: held, available: 3 },
              } as const;
              return outcomeOf(body, { kind: 'reserve', result: 'refused', refusal });
            }
            if (ledger.capped.has(body.account_id)) {
              return outcomeOf(body, { kind: 'reserve', result: 'refused', refusal: capRefusal });
            }
            open.add(body.refresh_id);
            return outcomeOf(body, { kind: 'reserve', amount_reserved: held });
          };
          const { deadline_at, retry_after_seconds } = body;
          const times = { deadline_at, retry_after_seconds };
          const waiting = waitingId === undefined ? null : { waiting_id: waitingId, ...times };
          return answer(body, make, waiting);
        },
        'billing.settle.v1': ({ body }) =>
          answer(body, () => {
            if (ledger.forgetful.has(body.account_id)) {
              const refusal = { code: 'hold_unknown', required: null, available: null } as const;
              return outcomeOf(body, { kind: 'settle', result: 'refused', refusal });
            }
            if (open.delete(body.refresh_id)) ledger.resolved.push(body.refresh_id);
            const { disposition } = settlementOf(body.outcome);
            const charged =
              disposition === 'finalize_complete'
                ? Math.min(held, Math.ceil((body.observed_assets ?? 0) / 2_000))
                : settlementOf(body.outcome).charged;
            return outcomeOf(body, {
              kind: 'settle',
              disposition,
              amount_charged: charged,
              amount_released: held - charged,
            });
          }),
        'billing.release.v1': ({ body }) =>
          answer(body, () => {
            if (open.delete(body.refresh_id)) ledger.resolved.push(body.refresh_id);
            return outcomeOf(body, {
              kind: 'release',
              disposition: 'release',
              amount_released: held,
            });
          }),
      },
      8,
    ),
  });
  return ledger;
}
