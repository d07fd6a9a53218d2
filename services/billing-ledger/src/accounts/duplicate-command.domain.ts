import { type Command, type CommandOf, commandKinds } from './command.domain.ts';
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
  switch (command.type) {
    // The first resolution of a hold or charge is final, whatever a later one contains.
    case 'billing.settle.v1':
    case 'billing.release.v1':
    case 'billing.reverse.v1':
      return 'recorded';
    case 'billing.reserve.v1':
    case 'billing.charge.v1':
      if (entry.command !== commandKinds[command.type]) return 'precluded';
      return isSamePurchase(entry, command) ? 'recorded' : 'conflict';
    case 'billing.grant.v1':
    case 'billing.adjust.v1':
      return isSameIssue(entry, command) ? 'recorded' : 'conflict';
    case 'billing.configure.v1':
      return isSameChange(entry, command) ? 'recorded' : 'conflict';
  }
}

/**
 * The entry holds its command's content, so no fingerprint is kept beside it. A request_id that
 * is not part of the command id only names the HTTP request, and is no content.
 */
function isSamePurchase(entry: Entry, { type, body }: CommandOf<'reserve' | 'charge'>): boolean {
  const pageCount = type === 'billing.charge.v1' ? body.pageCount : null;
  return (
    entry.projectId === body.projectId &&
    entry.productCode === body.productCode &&
    (entry.pageCount ?? 1) === (pageCount ?? 1)
  );
}

function isSameIssue(entry: Entry, { body }: CommandOf<'grant' | 'adjust'>): boolean {
  return entry.asset === body.asset && entry.amount === body.amount && entry.reason === body.reason;
}

function isSameChange({ configured, reason }: Entry, { body }: CommandOf<'configure'>): boolean {
  const isSame = configured !== null && isSameConfiguration(configured, body.change);
  return isSame && reason === body.reason;
}
