import type { BillingConfiguration } from '@inventory/contracts/messages/billing';
import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { Command } from '../../../src/accounts/command.domain.ts';
import type { Configuration } from '../../../src/accounts/terms.domain.ts';
import { accounts, decodeProgram, sentAtOf } from '../program.ts';
import type { Chance } from './scheduler.ts';

export interface CommandLogs {
  /** Every command that was ever sent, repetitions and conflicts included. */
  readonly commands: readonly Command[];
  /** The same as records, in one partition or in one per account. */
  readonly logs: readonly (readonly ReceivedMessage[])[];
}

/** Some commands of two accounts, as their senders would send them, asking again and all. */
export function messageLog(chance: Chance): CommandLogs {
  const numbers = Array.from({ length: 6 + chance.below(30) }, () => chance.below(2 ** 40));
  const fresh = decodeProgram(numbers).map(({ command }) => command);
  const commands = fresh.flatMap((command) =>
    chance.percent(15) ? [command, command] : [command],
  );
  const groups = chance.percent(50)
    ? [commands]
    : accounts.map((id) => commands.filter(({ accountId }) => accountId === id));
  return { commands, logs: groups.map((group, partition) => group.map(toRecord(partition))) };
}

function toRecord(partition: number): (command: Command, offset: number) => ReceivedMessage {
  return (command, offset) =>
    ({
      type: `billing.${command.kind}.v1`,
      id: command.commandId,
      key: command.accountId,
      body: toBody(command),
      waitingId: offset % 3 === 0 ? `waiting-${offset}` : undefined,
      deadlineMs: undefined,
      trace: {},
      writtenAtMs: sentAtOf(command) ?? 0,
      topic: 'billing.commands.v1',
      partition,
      offset: String(offset),
    }) as ReceivedMessage;
}

function toBody(command: Command): object {
  const address = { command_id: command.commandId, account_id: command.accountId };
  switch (command.kind) {
    case 'reserve':
    case 'charge':
      return {
        ...address,
        project_id: command.projectId,
        refresh_id: command.kind === 'reserve' ? command.refreshId : undefined,
        request_id: command.requestId,
        product_code: command.productCode,
        max_credits: command.kind === 'reserve' ? command.maxCredits : undefined,
        page_count: command.kind === 'charge' ? command.pages : undefined,
      };
    case 'settle':
      return {
        ...address,
        project_id: command.projectId,
        refresh_id: command.refreshId,
        outcome: command.outcome,
        observed_assets: command.observedAssets,
      };
    case 'release':
      return { ...address, project_id: command.projectId, refresh_id: command.refreshId };
    case 'reverse':
      return { ...address, project_id: command.projectId, request_id: command.requestId };
    case 'grant':
    case 'adjust':
      return {
        ...address,
        request_id: command.requestId,
        asset: command.asset,
        amount: command.amount,
        reason: command.reason,
      };
    case 'configure':
      return {
        ...address,
        request_id: command.requestId,
        change: toChange(command.change),
        reason: command.reason,
      };
  }
}

function toChange(change: Configuration): BillingConfiguration {
  switch (change.sets) {
    case 'funding': {
      const { sets, funding } = change;
      if (funding.mode === 'credits') return { sets, funding: { mode: 'credits' } };
      return { sets, funding: { mode: 'subscription', units_per_month: funding.unitsPerMonth } };
    }
    case 'spend_cap':
      return { sets: change.sets, project_id: change.projectId, cap: change.cap };
    case 'balance_alert':
      return change;
  }
}
