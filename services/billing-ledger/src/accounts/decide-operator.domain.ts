import type { Account } from './account.domain.ts';
import { amountMax } from './balances.domain.ts';
import type { ConfigureCommand, IssueCommand } from './command.domain.ts';
import { type Decision, refuse } from './decision.domain.ts';
import { issue, nothingMoved } from './movement.domain.ts';
import { fundingAsset, insufficientCode } from './terms.domain.ts';

/** An operator's grant or adjustment. What is held or consumed already cannot be taken away. */
export function decideIssue(account: Account, command: IssueCommand): Decision {
  const { asset, amount, reason, requestId } = command;
  const { available, issued } = account.balances[asset];
  const details = { asset, amount, reason, requestId };
  if (available + amount < 0) {
    const required = 0 - amount;
    return refuse(details, { code: insufficientCode(asset), detail: { required, available } });
  }
  if (issued + amount > amountMax) return refuse(details, { code: 'balance_limit_exceeded' });
  return { ...details, kind: command.kind, change: issue(amount) };
}

/** Changes the account's terms. It moves nothing, and open holds end as they were made. */
export function decideConfigure(account: Account, command: ConfigureCommand): Decision {
  const { change: configured, reason, requestId } = command;
  const funding = configured.sets === 'funding' ? configured.funding : account.terms.funding;
  const asset = fundingAsset(funding);
  return { kind: 'configure', asset, change: nothingMoved, configured, reason, requestId };
}
