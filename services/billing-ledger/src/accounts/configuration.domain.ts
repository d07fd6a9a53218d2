import type { ProjectId } from '@inventory/contracts/ids';
import type { Funding } from './funding.domain.ts';

/** What one configure sets; everything else about the account stays as it is. */
export type Configuration =
  | { readonly sets: 'funding'; readonly funding: Funding }
  /** Null takes the cap away. */
  | { readonly sets: 'spend_cap'; readonly projectId: ProjectId; readonly cap: number | null }
  /** Null takes the alert away. */
  | { readonly sets: 'balance_alert'; readonly threshold: number | null };

export function isSameConfiguration(left: Configuration, right: Configuration): boolean {
  return describe(left) === describe(right);
}

function describe(configuration: Configuration): string {
  switch (configuration.sets) {
    case 'funding': {
      const { funding } = configuration;
      return `funding ${funding.mode === 'credits' ? 'credits' : funding.unitsPerMonth}`;
    }
    case 'spend_cap':
      return `spend_cap ${configuration.projectId} ${configuration.cap}`;
    case 'balance_alert':
      return `balance_alert ${configuration.threshold}`;
  }
}
