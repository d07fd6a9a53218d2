import type { AccountId } from '@inventory/contracts/ids';
import type { MessageBody } from '@inventory/contracts/messages';
import type { BillingOutcome } from '@inventory/contracts/messages/billing';
import type { PriceSchedule } from '@inventory/contracts/messages/price-list';
import type { MessageBus, ReceivedMessageOf } from '@inventory/messaging/bus';
import { byKey } from '@inventory/messaging/dispatch';
import { systemClock } from '@inventory/runtime/clock';
import { firstPrices, type LedgerReads, respondToLedgerRead } from './fake-ledger-reads.ts';
import { type HttpFake, startHttpFake } from './http-fake.ts';
import { createSightings } from './sightings.ts';

type Charge = MessageBody<'billing.charge.v1'>;
type Reverse = MessageBody<'billing.reverse.v1'>;
type Configure = MessageBody<'billing.configure.v1'>;

/** A ledger with one balance per account: sticky outcomes, tombstones for early reversals. */
export interface FakeLedger extends LedgerReads {
  readonly http: HttpFake;
  prices: PriceSchedule;
  readonly charges: Charge[];
  readonly reverses: Reverse[];
  readonly configurations: Configure[];
  balanceOf(accountId: AccountId): number;
  setBalance(accountId: AccountId, credits: number): void;
  /** Runs before a charge is booked; what it awaits delays the booking and the answer. */
  beforeCharge: (charge: Charge) => void | Promise<void>;
  decidesConfigure: boolean;
  /** False keeps the answer back; the charge is booked all the same. */
  decidesCharge: (charge: Charge) => boolean;
  decidesReverse: (reverse: Reverse) => boolean;
  /** Refuses a charge with this instead of booking it. */
  refuseCharge: (charge: Charge) => BillingOutcome['refusal'];
  /** Charges these to units, of which there are as many as credits would have been. */
  paysWithUnits: (charge: Charge) => boolean;
  reset(): void;
  close(): Promise<void>;
}

const firstBalance = 1_000_000;
const price = 1;

export async function startFakeLedger(bus: MessageBus): Promise<FakeLedger> {
  const balances = new Map<AccountId, number>();
  const outcomes = new Map<string, BillingOutcome>();
  const charged = new Map<string, number>();
  const sightings = createSightings();
  let seq = 0;

  function record(
    command: Charge | Reverse | Configure,
    kind: 'charge' | 'reverse' | 'configure',
    change: number,
    refusal: BillingOutcome['refusal'] = null,
  ): BillingOutcome {
    const available = fake.balanceOf(command.accountId) + (refusal ? 0 : change);
    balances.set(command.accountId, available);
    seq += 1;
    const outcome: BillingOutcome = {
      commandId: command.commandId,
      kind,
      result: refusal ? 'refused' : 'applied',
      refusal,
      accountId: command.accountId,
      projectId: 'projectId' in command ? command.projectId : null,
      refreshId: null,
      requestId: command.requestId,
      seq,
      atMs: systemClock.now(),
      asset: 'credits',
      productCode: 'productCode' in command ? command.productCode : null,
      priceVersion: 1,
      amountReserved: 0,
      amountCharged: refusal ? 0 : Math.max(0, -change),
      amountReleased: 0,
      disposition: null,
      balance: { total: available, held: 0, available },
      creditsAvailable: null,
    };
    outcomes.set(command.commandId, outcome);
    return outcome;
  }

  function bookCharge(charge: Charge): BillingOutcome {
    const known = outcomes.get(charge.commandId);
    if (known) return known;
    if (outcomes.has(`reverse:${charge.requestId}`)) {
      return record(charge, 'charge', 0, { code: 'already_reversed' });
    }
    const refusal = fake.refuseCharge(charge);
    if (refusal) return record(charge, 'charge', 0, refusal);
    const available = fake.balanceOf(charge.accountId);
    const required = price * (charge.pageCount ?? 1);
    if (available < required) {
      return record(charge, 'charge', 0, {
        code: 'insufficient_credits',
        detail: { required, available },
      });
    }
    charged.set(charge.requestId, required);
    const outcome = record(charge, 'charge', -required);
    if (!fake.paysWithUnits(charge)) return outcome;
    const inUnits: BillingOutcome = { ...outcome, asset: 'units', creditsAvailable: 300 };
    outcomes.set(charge.commandId, inUnits);
    return inUnits;
  }

  function bookReverse(reverse: Reverse): BillingOutcome {
    const known = outcomes.get(reverse.commandId);
    if (known) return known;
    return record(reverse, 'reverse', charged.get(reverse.requestId) ?? 0);
  }

  async function respond(waitingId: string | undefined, outcome: BillingOutcome): Promise<void> {
    if (waitingId === undefined) return;
    await bus.publish([
      {
        type: 'reply.billing-outcome.v1',
        id: `reply:${outcome.commandId}`,
        body: { waitingId, outcome, deadlineAtMs: null, retryAfterSeconds: null },
      },
    ]);
  }

  async function onCharge(message: ReceivedMessageOf<'billing.charge.v1'>) {
    const { body, waitingId } = message;
    if (sightings.isFirst(message)) fake.charges.push(body);
    await fake.beforeCharge(body);
    const outcome = bookCharge(body);
    if (fake.decidesCharge(body)) await respond(waitingId, outcome);
  }

  async function onReverse(message: ReceivedMessageOf<'billing.reverse.v1'>) {
    const { body, waitingId } = message;
    if (sightings.isFirst(message)) fake.reverses.push(body);
    if (fake.decidesReverse(body)) await respond(waitingId, bookReverse(body));
  }

  async function onConfigure(message: ReceivedMessageOf<'billing.configure.v1'>) {
    const { body, waitingId } = message;
    if (sightings.isFirst(message)) fake.configurations.push(body);
    const outcome = record(body, 'configure', 0);
    if (fake.decidesConfigure) await respond(waitingId, outcome);
  }

  const http = await startHttpFake((url) => respondToLedgerRead(url, fake));

  const promises = {
    prices: firstPrices,
    decidesConfigure: true,
    beforeCharge: () => undefined,
    decidesCharge: () => true,
    decidesReverse: () => true,
    refuseCharge: () => null,
    paysWithUnits: () => false,
  };
  const fake: FakeLedger = {
    http,
    charges: [],
    reverses: [],
    configurations: [],
    terms: new Map(),
    statements: new Map(),
    statementsAsked: [],
    usage: new Map(),
    balanceOf: (accountId) => balances.get(accountId) ?? firstBalance,
    setBalance: (accountId, credits) => void balances.set(accountId, credits),
    ...promises,
    reset: () => void Object.assign(fake, promises),
    close: () => http.close(),
  };
  // Lanes are per command here: one slow charge must not hold up a reversal of the account, which
  // is how two partitions of a real topic look from outside.
  await bus.consume({
    group: 'fake-ledger',
    topics: ['billing.commands.v1'],
    onBatch: byKey(
      {
        'billing.charge.v1': onCharge,
        'billing.reverse.v1': onReverse,
        'billing.configure.v1': onConfigure,
      },
      50,
    ),
  });
  return fake;
}
