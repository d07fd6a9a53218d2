import type { ProjectId } from '@inventory/contracts/ids';
import { newAccountId } from '@inventory/testkit/builders';
import type { Watch } from '../../src/watches/watch.domain.ts';

const accountId = newAccountId();

/** The watch with this number, whose first run is as many milliseconds after a time. */
export function watchOf(at: number, projectId: ProjectId, nowMs: number = 0): Watch {
  const uuid = `0199c2a4-6f10-7b21-8c3d-${String(at).padStart(12, '0')}`;
  return {
    watchId: `wat_${uuid}`,
    version: 1,
    accountId,
    projectId,
    credentialId: null,
    scope: {
      platform_id: String(76_561_190_000_000_000n + BigInt(at)),
      app_id: 730,
      context_id: 2,
    },
    language: 'english',
    everySeconds: 300,
    maxCreditsPerDay: null,
    isPausedByOperator: false,
    createdAtMs: nowMs,
    nextRefreshAtMs: nowMs + 1 + at,
    pausedReason: null,
    run: null,
    denials: 0,
    spent: { day: 0, credits: 0 },
    recent: { runs: 0, credits: 0 },
    assets: null,
  };
}
