import type { ProjectId } from '@inventory/contracts/ids';

export interface StreamQuotaLimits {
  readonly perProjectMax: number;
  readonly perReplicaMax: number;
}

export type StreamAdmission =
  /** `release` is to be called whatever became of the stream; it may be called again. */
  | { readonly admitted: true; readonly release: () => void }
  | { readonly admitted: false; readonly why: 'project_full' | 'replica_full' };

/** Places for streams on this replica. */
export interface StreamQuota {
  readonly perProjectMax: number;
  take(projectId: ProjectId): StreamAdmission;
}

export function createStreamQuota(limits: StreamQuotaLimits): StreamQuota {
  const taken = new Map<ProjectId, number>();
  let all = 0;

  function release(projectId: ProjectId): void {
    all -= 1;
    const left = (taken.get(projectId) ?? 1) - 1;
    if (left === 0) taken.delete(projectId);
    else taken.set(projectId, left);
  }

  return {
    perProjectMax: limits.perProjectMax,
    take(projectId) {
      const ofProject = taken.get(projectId) ?? 0;
      if (all >= limits.perReplicaMax) return { admitted: false, why: 'replica_full' };
      if (ofProject >= limits.perProjectMax) return { admitted: false, why: 'project_full' };
      all += 1;
      taken.set(projectId, ofProject + 1);
      let isHeld = true;
      return {
        admitted: true,
        release() {
          if (isHeld) release(projectId);
          isHeld = false;
        },
      };
    },
  };
}
