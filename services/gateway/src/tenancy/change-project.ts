import type { ProjectId } from '@inventory/contracts/ids';
import { Refused } from '@inventory/http/refused';
import type { ChangeAnnouncer } from './announce-change.ts';
import type { Project } from './tenancy.domain.ts';
import type { ProjectChanges, TenancyStore } from './tenancy-store.ts';

interface Deps {
  readonly store: Pick<TenancyStore, 'findProject' | 'changeProject'>;
  readonly announcer: ChangeAnnouncer;
}

/** Sets the given fields; the others stay, also under concurrent changes. */
export async function changeProject(
  { store, announcer }: Deps,
  projectId: ProjectId,
  changes: ProjectChanges,
): Promise<Project> {
  const found = await store.findProject(projectId);
  if (found === null) throw new Refused({ code: 'project_not_found' });
  const thing = { accountId: found.accountId, projectId };
  const announcement = announcer.createAnnouncement(thing);
  const changed = await store.changeProject(projectId, changes, announcement);
  if (!changed) throw new Refused({ code: 'project_not_found' });
  await announcer.publishChange(thing);
  return { ...found, ...changes, changedAtMs: announcement.atMs };
}
