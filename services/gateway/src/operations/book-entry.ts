import type { AccountId, RequestId } from '@inventory/contracts/ids';
import { billingCommandId } from '@inventory/contracts/messages/billing-commands';
import type { BillingOutcome } from '@inventory/contracts/messages/billing-outcome';
import type { OutgoingMessage } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { type Identifiers, uuidV5 } from '@inventory/runtime/identifiers';
import type { TenancyStore } from '../storage/tenancy-store.ts';
import { askOwner, type ReplyChannel } from './ask-owner.ts';
import { OperatorRefusal } from './operator-refusal.ts';

/** The ledger has not answered. The same key and inputs find out what became of the entry. */
export class EntryUndecided extends Error {
  override name = 'EntryUndecided';
  /** `not_sent`: nothing was booked. `unknown`: it may be booked, now or later. */
  readonly outcome: 'not_sent' | 'unknown';

  constructor(outcome: EntryUndecided['outcome'], cause: unknown) {
    super('the ledger did not answer', { cause });
    this.outcome = outcome;
  }
}

interface WantedEntry {
  readonly kind: 'grant' | 'adjust';
  readonly accountId: AccountId;
  readonly amount: number;
  readonly reason: string;
  /** 1 to 200 printable ASCII characters; names this entry of this account for ever. */
  readonly idempotencyKey: string;
}

interface Dependencies extends ReplyChannel {
  readonly tenancy: Pick<TenancyStore, 'findAccount'>;
  readonly identifiers: Identifiers;
}

const answerTimeoutMs = 10_000;
const requestIdNamespace = '6f2f0c0e-8a51-4b0b-9f0e-5d3b7a1c9e42';

/**
 * Books credits of an account by command to the ledger, and waits for what it did. The command is
 * the same, byte for byte, whenever the same key and inputs come again, and so is its outcome.
 */
export async function bookEntry(
  dependencies: Dependencies,
  wanted: WantedEntry,
): Promise<BillingOutcome> {
  const account = await dependencies.tenancy.findAccount(wanted.accountId);
  if (account === null) throw new OperatorRefusal('account_not_found');
  const outcome = await decide(dependencies, commandOf(wanted));
  if (outcome.result === 'applied') return outcome;
  const { code, required = null, available = null } = outcome.refusal ?? {};
  if (code === 'command_conflict') throw new OperatorRefusal('idempotency_conflict');
  if (code === 'balance_limit_exceeded') throw new OperatorRefusal(code);
  invariant(code === 'insufficient_credits', `the ledger refused an entry with ${code}`);
  throw new OperatorRefusal('insufficient_credits', { required, available });
}

/** A key counts within its account: the ledger's command ids are unique over all accounts. */
function commandOf(wanted: WantedEntry): OutgoingMessage {
  const key = `${wanted.accountId}:${wanted.idempotencyKey}`;
  const commandId = billingCommandId[wanted.kind](key);
  const requestId: RequestId = `req_${uuidV5(requestIdNamespace, commandId)}`;
  return {
    type: wanted.kind === 'grant' ? 'billing.grant.v1' : 'billing.adjust.v1',
    id: commandId,
    body: {
      command_id: commandId,
      account_id: wanted.accountId,
      request_id: requestId,
      asset: 'credits',
      amount: wanted.amount,
      reason: wanted.reason,
    },
  };
}

async function decide(
  dependencies: Dependencies,
  command: OutgoingMessage,
): Promise<BillingOutcome> {
  const waitingId = `operator:${dependencies.identifiers.uuidV7()}`;
  const asked = await askOwner(
    dependencies,
    { ...command, waitingId },
    'reply.billing-outcome.v1',
    answerTimeoutMs,
  );
  if (asked.result === 'reply') return asked.body.outcome;
  throw new EntryUndecided(asked.result, asked.cause);
}
