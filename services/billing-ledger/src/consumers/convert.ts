import type { AccountId } from '@inventory/contracts/ids';
import type {
  BillingOutcome,
  billingRefusalCodes,
} from '@inventory/contracts/messages/billing-outcome';
import type { ReceivedMessage, ReceivedMessageOf } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import { isoTime } from '@inventory/runtime/clock';
import type { ChargeCommand, Command } from '../domain/command.ts';
import type { Entry } from '../domain/entry.ts';
import type { EntryKind } from '../domain/movement.ts';
import type { Answer } from '../domain/plan-commit.ts';

type CommandType =
  | 'billing.reserve.v1'
  | 'billing.settle.v1'
  | 'billing.release.v1'
  | 'billing.charge.v1'
  | 'billing.reverse.v1'
  | 'billing.grant.v1'
  | 'billing.adjust.v1';
export type CommandMessage = Extract<ReceivedMessage, { type: CommandType }>;

const commandTypes: ReadonlySet<string> = new Set<CommandType>([
  'billing.reserve.v1',
  'billing.settle.v1',
  'billing.release.v1',
  'billing.charge.v1',
  'billing.reverse.v1',
  'billing.grant.v1',
  'billing.adjust.v1',
]);

export function isCommandMessage(message: ReceivedMessage): message is CommandMessage {
  return commandTypes.has(message.type);
}

export function fromCommandMessage(message: CommandMessage): Command {
  const { body } = message;
  const address = { commandId: body.command_id, accountId: body.account_id };
  switch (message.type) {
    case 'billing.reserve.v1':
      return {
        ...address,
        kind: 'reserve',
        projectId: message.body.project_id,
        refreshId: message.body.refresh_id,
        requestId: message.body.request_id,
        productCode: message.body.product_code,
      };
    case 'billing.settle.v1':
      return {
        ...address,
        kind: 'settle',
        projectId: message.body.project_id,
        refreshId: message.body.refresh_id,
        outcome: message.body.outcome,
        observedAssets: message.body.observed_assets,
      };
    case 'billing.release.v1':
      return {
        ...address,
        kind: 'release',
        projectId: message.body.project_id,
        refreshId: message.body.refresh_id,
      };
    case 'billing.charge.v1':
      return fromCharge(message, address);
    case 'billing.reverse.v1':
      return {
        ...address,
        kind: 'reverse',
        projectId: message.body.project_id,
        requestId: message.body.request_id,
      };
    case 'billing.grant.v1':
      return { ...address, kind: 'grant', ...fromIssue(message.body) };
    case 'billing.adjust.v1':
      return { ...address, kind: 'adjust', ...fromIssue(message.body) };
  }
}

function fromCharge(
  { body }: ReceivedMessageOf<'billing.charge.v1'>,
  address: Pick<Command, 'commandId' | 'accountId'>,
): ChargeCommand {
  const { product_code: productCode } = body;
  invariant(productCode !== 'platform.inventory.refresh.v1', 'a charge is for a page');
  return {
    ...address,
    kind: 'charge',
    projectId: body.project_id,
    requestId: body.request_id,
    productCode,
  };
}

function fromIssue(body: ReceivedMessageOf<'billing.grant.v1' | 'billing.adjust.v1'>['body']) {
  // Adding 0 makes a -0 of JSON the 0 that it is stored as.
  const { request_id: requestId, asset, reason } = body;
  return { requestId, asset, amount: body.amount + 0, reason };
}

/** The outcome of the command an entry was made for: the same whenever it is sent again. */
export function toOutcome(accountId: AccountId, entry: Entry): BillingOutcome {
  const { kind, change, after } = entry;
  return {
    command_id: entry.commandId,
    kind: entry.command,
    result: kind === 'refuse' ? 'refused' : 'applied',
    refusal: entry.refusal,
    account_id: accountId,
    project_id: entry.projectId,
    refresh_id: entry.refreshId,
    request_id: entry.requestId,
    seq: entry.seq,
    at: isoTime(entry.at),
    asset: entry.asset,
    product_code: entry.productCode,
    price_version: entry.priceVersion,
    amount_reserved: kind === 'reserve' ? change.held : 0,
    amount_charged: Math.max(0, change.consumed),
    amount_released: gaveBack(kind) ? change.available : 0,
    disposition: entry.disposition,
    balance: {
      total: after.available + after.held,
      held: after.held,
      available: after.available,
    },
  };
}

/**
 * What is told about a command that was answered. One that an entry precludes is refused by that
 * entry; one that repeats an id with other content learns what its id stands for.
 */
export function toAnswerOutcome(command: Command, { verdict, entry }: Answer): BillingOutcome {
  const outcome = toOutcome(command.accountId, entry);
  if (verdict !== 'precluded') return outcome;
  const code = command.kind === 'reserve' ? 'hold_unknown' : 'already_reversed';
  return toRefused(outcome, command, code);
}

/**
 * What only the one who waits is told: that its content was not used. It moves nothing, is in no
 * entry, and is made from the entry that stands, so it is the same whenever it is told.
 */
export function toReplyOutcome(command: Command, answer: Answer): BillingOutcome {
  if (answer.verdict !== 'conflict') return toAnswerOutcome(command, answer);
  return toRefused(toOutcome(command.accountId, answer.entry), command, 'command_conflict');
}

/** Every outcome has an id of its own, however often it is sent. */
export function outcomeId(outcome: BillingOutcome): string {
  return `${outcome.account_id}/${outcome.seq}/${outcome.command_id}`;
}

function toRefused(
  outcome: BillingOutcome,
  command: Command,
  code: (typeof billingRefusalCodes)[number],
): BillingOutcome {
  return {
    ...outcome,
    command_id: command.commandId,
    kind: command.kind,
    result: 'refused',
    refusal: { code, required: null, available: null },
    product_code: null,
    price_version: null,
    amount_reserved: 0,
    amount_charged: 0,
    amount_released: 0,
    disposition: null,
  };
}

function gaveBack(kind: EntryKind): boolean {
  return kind === 'settle' || kind === 'release' || kind === 'reverse';
}
