import type { AccountId, RequestId } from '@inventory/contracts/ids';
import type { AccountTerms } from '@inventory/contracts/internal/ledger';
import {
  type BillingConfiguration,
  type BillingOutcome,
  billingCommandId,
} from '@inventory/contracts/messages/billing';
import type { LedgerAsset } from '@inventory/contracts/vocabulary';
import { Refused } from '@inventory/http/refused';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { Bug, invariant } from '@inventory/runtime/bug';
import { uuidV5 } from '@inventory/runtime/identifiers';
import { replyOf } from '../commands/request-reply-client.ts';
import type { OperatorServices } from './operator-services.ts';

/** The outcome was not received in time. A retry with the same key and inputs returns it. */
export class EntryUndecided extends Error {
  override name = 'EntryUndecided';
  /** `not_sent`: nothing was booked. `unknown`: it may be booked, now or later. */
  readonly outcome: 'not_sent' | 'unknown';

  constructor(outcome: EntryUndecided['outcome'], cause: unknown) {
    super('the ledger is unavailable', { cause });
    this.outcome = outcome;
  }
}

const requestIdNamespace = '6f2f0c0e-8a51-4b0b-9f0e-5d3b7a1c9e42';

/** Derived from the command, so that a re-sent command is identical byte for byte. */
function requestIdOf(commandId: string): RequestId {
  return `req_${uuidV5(requestIdNamespace, commandId)}`;
}

/** What an entry is booked with. */
export type BookingServices = Pick<
  OperatorServices,
  'tenancy' | 'commands' | 'identifiers' | 'deadlines'
>;

/** Sends an operator's command and waits for its outcome. */
async function requestLedger(
  { commands, identifiers, deadlines }: BookingServices,
  command: OutgoingMessage,
): Promise<BillingOutcome> {
  const waitingId = `operator:${identifiers.uuidV7()}`;
  const reply = await commands.request(
    { ...command, waitingId },
    replyOf('reply.billing-outcome.v1'),
    deadlines.ledgerReplyMs,
  );
  if (reply.result !== 'reply') throw new EntryUndecided(reply.result, reply.cause);
  const { outcome } = reply.body;
  if (outcome === null) throw new EntryUndecided('not_sent', 'the account is in quarantine');
  return outcome;
}

export interface WantedEntry {
  readonly kind: 'grant' | 'adjust';
  readonly accountId: AccountId;
  readonly asset: LedgerAsset;
  readonly amount: number;
  readonly reason: string;
  /** 1 to 200 printable ASCII characters; identifies this entry of this account permanently. */
  readonly idempotencyKey: string;
}

/**
 * Books credits or units of an account by a command to the ledger, and returns its outcome. The
 * same key and inputs produce the same command, byte for byte, and the same outcome.
 */
export async function bookEntry(
  services: BookingServices,
  wanted: WantedEntry,
): Promise<BillingOutcome> {
  await services.tenancy.requireAccount(wanted.accountId);
  const outcome = await requestLedger(services, commandOf(wanted));
  if (outcome.result === 'applied') return outcome;
  const { refusal } = outcome;
  switch (refusal?.code) {
    case 'idempotency_conflict':
    case 'balance_limit_exceeded':
    case 'insufficient_credits':
    case 'insufficient_units':
      throw new Refused(refusal);
    default:
      throw new Bug(`the ledger refused an entry with ${refusal?.code}`);
  }
}

/** A key is unique within its account; command ids are unique over all accounts. */
function commandOf(wanted: WantedEntry): OutgoingMessage {
  const key = `${wanted.accountId}:${wanted.idempotencyKey}`;
  const commandId = billingCommandId[wanted.kind](key);
  return {
    type: wanted.kind === 'grant' ? 'billing.grant.v1' : 'billing.adjust.v1',
    id: commandId,
    body: {
      commandId,
      accountId: wanted.accountId,
      requestId: requestIdOf(commandId),
      asset: wanted.asset,
      amount: wanted.amount,
      reason: wanted.reason,
    },
  };
}

interface WantedConfiguration {
  readonly accountId: AccountId;
  readonly change: BillingConfiguration;
  readonly reason: string | null;
  /** 1 to 200 printable ASCII characters; identifies this change of this account permanently. */
  readonly idempotencyKey: string;
}

/**
 * Changes how an account pays or what a Project may spend, and returns the terms after it. A
 * repeated key changes nothing, even after another change.
 */
export async function setTerms(
  services: OperatorServices,
  { accountId, change, reason, idempotencyKey }: WantedConfiguration,
): Promise<AccountTerms> {
  await services.tenancy.requireAccount(accountId);
  const commandId = billingCommandId.configure(`${accountId}:${idempotencyKey}`);
  const requestId = requestIdOf(commandId);
  const outcome = await requestLedger(services, {
    type: 'billing.configure.v1',
    id: commandId,
    body: { commandId, accountId, requestId, change, reason },
  });
  if (outcome.result === 'refused') {
    const code = outcome.refusal?.code;
    invariant(code === 'idempotency_conflict', `the ledger refused a configuration with ${code}`);
    throw new Refused({ code });
  }
  return services.ledger.readTerms(accountId);
}
