import type { RequestId } from '@inventory/contracts/ids';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { type Identifiers, uuidV5 } from '@inventory/runtime/identifiers';
import { type RequestReplyClient, replyOf } from './request-reply-client.ts';

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

export interface RequestLedgerDeps {
  readonly commands: RequestReplyClient;
  readonly identifiers: Identifiers;
  readonly deadlines: { readonly ledgerAnswerMs: number };
}

const requestIdNamespace = '6f2f0c0e-8a51-4b0b-9f0e-5d3b7a1c9e42';

/** Derived from the command, so that a re-sent command is identical byte for byte. */
export function requestIdOf(commandId: string): RequestId {
  return `req_${uuidV5(requestIdNamespace, commandId)}`;
}

/** Sends an operator's command and waits for its outcome. */
export async function requestLedger(
  deps: RequestLedgerDeps,
  command: OutgoingMessage,
): Promise<BillingOutcome> {
  const waitingId = `operator:${deps.identifiers.uuidV7()}`;
  const reply = await deps.commands.request(
    { ...command, waitingId },
    replyOf('reply.billing-outcome.v1'),
    deps.deadlines.ledgerAnswerMs,
  );
  if (reply.result !== 'reply') throw new EntryUndecided(reply.result, reply.cause);
  const { outcome } = reply.body;
  if (outcome === null) throw new EntryUndecided('not_sent', 'the account is in quarantine');
  return outcome;
}
