import type { Account } from './account.domain.ts';
import type { ConfigureCommand } from './command.domain.ts';
import type { Decision } from './decision.domain.ts';
import { fundingAsset } from './funding.domain.ts';
import { nothingMoved } from './movement.domain.ts';

/** Changes the account's terms. It moves nothing, and open holds end as they were made. */
export function decideConfigure(account: Account, command: ConfigureCommand): Decision {
  const { change: configured, reason, requestId } = command;
  const funding = configured.sets === 'funding' ? configured.funding : account.terms.funding;
  const asset = fundingAsset(funding);
  return { kind: 'configure', asset, change: nothingMoved, configured, reason, requestId };
}
