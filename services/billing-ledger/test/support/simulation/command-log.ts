import type { ReceivedMessage } from '@inventory/messaging/bus';
import type { Command } from '../../../src/accounts/command.domain.ts';
import { accounts, decodeProgram } from '../program.ts';
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
    : accounts.map((id) => commands.filter(({ body }) => body.accountId === id));
  return { commands, logs: groups.map((group, partition) => group.map(toRecord(partition))) };
}

function toRecord(partition: number): (command: Command, offset: number) => ReceivedMessage {
  return (command, offset) => ({
    ...command,
    id: command.body.commandId,
    key: command.body.accountId,
    waitingId: offset % 3 === 0 ? `waiting-${offset}` : undefined,
    deadlineMs: undefined,
    trace: {},
    topic: 'billing.commands.v1',
    partition,
    offset: String(offset),
  });
}
