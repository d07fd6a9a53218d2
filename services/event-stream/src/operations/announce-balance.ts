import { idPrefixes } from '@inventory/contracts/ids';
import { uuidV5 } from '@inventory/runtime/identifiers';
import {
  type BalanceCrossing,
  balanceLowEvent,
  balanceLowEventType,
  balanceLowName,
} from '../domain/balance-event.ts';
import type { EndpointStore } from '../storage/endpoint-store.ts';
import { type AppendDependencies, appendEvent } from './append-event.ts';

export interface AnnounceBalanceDeps extends AppendDependencies {
  readonly endpoints: Pick<EndpointStore, 'projectsSubscribed'>;
}

/**
 * Tells every Project of the account that has an enabled endpoint for it. A crash on the way comes
 * back here: Projects that were told have their event already.
 */
export async function announceBalance(
  dependencies: AnnounceBalanceDeps,
  crossing: BalanceCrossing,
): Promise<void> {
  const { accountId } = crossing;
  const accountUuid = accountId.slice(idPrefixes.account.length);
  const projects = await dependencies.endpoints.projectsSubscribed(accountId, balanceLowEventType);
  for (const projectId of projects) {
    const eventUuid = uuidV5(accountUuid, balanceLowName(crossing, projectId));
    await appendEvent(dependencies, accountId, balanceLowEvent(crossing, projectId, eventUuid));
  }
}
