import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import { isHeldProduct } from '@inventory/contracts/vocabulary';
import type { ReceivedMessage, ReceivedMessageOf } from '@inventory/messaging/bus';
import { invariant } from '@inventory/runtime/bug';
import type { ChargeCommand, Command, ReserveCommand } from '../accounts/command.domain.ts';
import type { Configuration } from '../accounts/terms.domain.ts';

const commandTypes = [
  'billing.reserve.v1',
  'billing.settle.v1',
  'billing.release.v1',
  'billing.charge.v1',
  'billing.reverse.v1',
  'billing.grant.v1',
  'billing.adjust.v1',
  'billing.configure.v1',
] as const;
export type CommandMessage = Extract<ReceivedMessage, { type: (typeof commandTypes)[number] }>;

type Address = Pick<Command, 'commandId' | 'accountId'>;

export function isCommandMessage(message: ReceivedMessage): message is CommandMessage {
  return commandTypes.some((type) => type === message.type);
}

export function fromCommandMessage(message: CommandMessage): Command {
  const { body } = message;
  const address = { commandId: body.command_id, accountId: body.account_id };
  switch (message.type) {
    case 'billing.reserve.v1':
      return fromReserve(message, address);
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
    case 'billing.configure.v1':
      return {
        ...address,
        kind: 'configure',
        requestId: message.body.request_id,
        change: fromConfiguration(message.body.change),
        reason: message.body.reason,
      };
  }
}

function fromReserve(
  { body, writtenAtMs: sentAt }: ReceivedMessageOf<'billing.reserve.v1'>,
  address: Address,
): ReserveCommand {
  const { product_code: productCode } = body;
  invariant(isHeldProduct(productCode), 'a hold is for a refresh');
  return {
    ...address,
    sentAt,
    kind: 'reserve',
    projectId: body.project_id,
    refreshId: body.refresh_id,
    requestId: body.request_id,
    productCode,
    maxCredits: body.max_credits,
  };
}

function fromCharge(
  { body, writtenAtMs: sentAt }: ReceivedMessageOf<'billing.charge.v1'>,
  address: Address,
): ChargeCommand {
  const { product_code: productCode } = body;
  invariant(!isHeldProduct(productCode), 'a charge is for a page');
  return {
    ...address,
    sentAt,
    kind: 'charge',
    projectId: body.project_id,
    requestId: body.request_id,
    productCode,
    pages: body.page_count ?? 1,
  };
}

function fromIssue(body: ReceivedMessageOf<'billing.grant.v1' | 'billing.adjust.v1'>['body']) {
  // Adding 0 makes a -0 of JSON the 0 that it is stored as.
  const { request_id: requestId, asset, reason } = body;
  return { requestId, asset, amount: body.amount + 0, reason };
}

function fromConfiguration(change: BillingConfiguration): Configuration {
  switch (change.sets) {
    case 'funding': {
      const { sets, funding } = change;
      if (funding.mode === 'credits') return { sets, funding: { mode: 'credits' } };
      return { sets, funding: { mode: 'subscription', unitsPerMonth: funding.units_per_month } };
    }
    case 'spend_cap':
      return { sets: change.sets, projectId: change.project_id, cap: change.cap };
    case 'balance_alert':
      return { sets: change.sets, threshold: change.threshold };
  }
}
