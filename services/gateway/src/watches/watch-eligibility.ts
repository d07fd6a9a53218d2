import type { Clock } from '@inventory/runtime/clock';
import { createRecentlyUsed } from '@inventory/runtime/recently-used';
import type { Tenancy } from '../tenancy/open-tenancy.ts';
import { mayUse } from '../tenancy/principal.domain.ts';
import type { Watch } from './watch.domain.ts';
import { watchPermission } from './watch-operation.ts';

/** Whether a Project may have runs at all. */
export type WatchEligibility = 'active' | 'owner_suspended' | 'permission_removed';

export type EligibilityOf = ReturnType<typeof createWatchEligibility>;

const projectsMax = 10_000;
/** The runs of a Project that are due together read its owners once. */
const knownMs = 5_000;
const pageMax = 100;

/**
 * A watch belongs to its Project: it runs while Project and account are active and any Credential of
 * the Project may refresh, so that a rotated or replaced one pauses nothing.
 */
export function createWatchEligibility(tenancy: Tenancy, clock: Clock) {
  const known = createRecentlyUsed<string, WatchEligibility>(projectsMax, { ttl: knownMs });
  return async (watch: Watch): Promise<WatchEligibility> => {
    const { projectId } = watch;
    const before = known.get(projectId);
    if (before !== undefined) return before;
    const eligibility = await readEligibility(tenancy, watch, clock.now());
    known.set(projectId, eligibility);
    return eligibility;
  };
}

async function readEligibility(
  { findProject, findAccount, listCredentials }: Tenancy,
  { projectId, accountId }: Watch,
  nowMs: number,
): Promise<WatchEligibility> {
  const [project, account] = await Promise.all([findProject(projectId), findAccount(accountId)]);
  const isActive = project?.state === 'active' && account?.state === 'active';
  if (!isActive) return 'owner_suspended';
  let afterId: string | null = null;
  for (;;) {
    const page = await listCredentials(projectId, { afterId, limit: pageMax });
    const may = page.some(
      (one) =>
        one.state === 'active' &&
        (one.expiresAtMs === null || one.expiresAtMs > nowMs) &&
        mayUse(one.scopes, watchPermission),
    );
    if (may) return 'active';
    if (page.length < pageMax) return 'permission_removed';
    afterId = page.at(-1)?.credentialId ?? null;
  }
}
