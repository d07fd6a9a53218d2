import type { RequestId } from '@inventory/contracts/ids';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { type Identifiers, uuidV5 } from '@inventory/runtime/identifiers';
import type { Deadlines } from '../deadlines.ts';
import { type ReplyChannel, replyOf, requestReply } from './request-reply.ts';

/** The ledger has not answered. The same key and inputs find out what became of the command. */
export class EntryUndecided extends Error {
  override name = 'EntryUndecided';
  /** `not_sent`: nothing was booked. `unknown`: it may be booked, now or later. */
  readonly outcome: 'not_sent' | 'unknown';

  constructor(outcome: EntryUndecided['outcome'], cause: unknown) {
    super('the ledger did not answer', { cause });
    this.outcome = outcome;
  }
}

export interface LedgerChannel extends ReplyChannel {
  readonly identifiers: Identifiers;
  readonly deadlines: Pick<Deadlines, 'ledgerAnswerMs'>;
}

const requestIdNamespace = '6f2f0c0e-8a51-4b0b-9f0e-5d3b7a1c9e42';

/** The same for the same command, so that a command sent again is the same, byte for byte. */
export function requestIdOf(commandId: string): RequestId {
  return `req_${uuidV5(requestIdNamespace, commandId)}`;
}

/** Sends an operator's command and waits for what the ledger made of it. */
export async function requestLedger(
  channel: LedgerChannel,
  command: OutgoingMessage,
): Promise<BillingOutcome> {
  const waitingId = `operator:${channel.identifiers.uuidV7()}`;
  const asked = await requestReply(
    channel,
    { ...command, waitingId },
    replyOf('reply.billing-outcome.v1'),
    channel.deadlines.ledgerAnswerMs,
  );
  if (asked.result === 'reply') return asked.body.outcome;
  throw new EntryUndecided(asked.result, asked.cause);
}
