import type { AccountId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Project } from './tenancy.domain.ts';
import type { TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findAccount' | 'insertProject'>;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}

/** Accounts are never deleted, so the owner that was read stays valid. */
export async function createProject(
  { store, clock, identifiers }: Deps,
  wanted: { accountId: AccountId; name: string | null },
): Promise<Project> {
  const account = await store.findAccount(wanted.accountId);
  if (account === null) throw new Refused({ code: 'account_not_found' });
  const nowMs = clock.now();
  const project: Project = {
    id: `prj_${identifiers.uuidV7()}`,
    accountId: account.id,
    name: wanted.name,
    state: 'active',
    networkPolicy: null,
    createdAtMs: nowMs,
    changedAtMs: nowMs,
  };
  await store.insertProject(project);
  return project;
}
