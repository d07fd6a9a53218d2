import type {
  ChargeCommand,
  Command,
  ConfigureCommand,
  IssueCommand,
  ReserveCommand,
} from './command.domain.ts';
import type { Entry } from './entry.domain.ts';
import { isSameConfiguration } from './terms.domain.ts';

/**
 * What a command finds that was answered before:
 * - `recorded`: its own answer, or the resolution its hold already had;
 * - `precluded`: an entry after which it can never be applied;
 * - `conflict`: the answer to a command with the same id and other content.
 */
export type DuplicateResult = 'recorded' | 'precluded' | 'conflict';

export function resolveDuplicate(entry: Entry, command: Command): DuplicateResult {
  switch (command.kind) {
    // The first resolution of a hold or charge is final, whatever a later one contains.
    case 'settle':
    case 'release':
    case 'reverse':
      return 'recorded';
    case 'reserve':
    case 'charge':
      if (entry.command !== command.kind) return 'precluded';
      return isSamePurchase(entry, command) ? 'recorded' : 'conflict';
    case 'grant':
    case 'adjust':
      return isSameIssue(entry, command) ? 'recorded' : 'conflict';
    case 'configure':
      return isSameChange(entry, command) ? 'recorded' : 'conflict';
  }
}

/**
 * The entry holds its command's content, so no fingerprint is kept beside it. A request_id that
 * is not part of the command id only names the HTTP request, and is no content.
 */
function isSamePurchase(entry: Entry, command: ReserveCommand | ChargeCommand): boolean {
  const pages = command.kind === 'charge' ? command.pages : 1;
  return (
    entry.projectId === command.projectId &&
    entry.productCode === command.productCode &&
    (entry.pages ?? 1) === pages
  );
}

function isSameIssue(entry: Entry, command: IssueCommand): boolean {
  return (
    entry.asset === command.asset &&
    entry.amount === command.amount &&
    entry.reason === command.reason
  );
}

function isSameChange({ configured, reason }: Entry, command: ConfigureCommand): boolean {
  const isSame = configured !== null && isSameConfiguration(configured, command.change);
  return isSame && reason === command.reason;
}
