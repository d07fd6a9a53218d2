import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { workIndex } from '@inventory/work/work-field';
import type { Collection, Db } from 'mongodb';
import type { AppBreakerDocument } from './egress/app-breaker-store.ts';
import type { IdentityDocument } from './egress/identity-store.ts';
import type { AdmissionDocument } from './refreshes/admission-store.ts';
import type { QuarterHourDocument } from './refreshes/quarter-hour-store.ts';
import type { RefreshDocument } from './refreshes/refresh-document.ts';
import type { InventoryDocument } from './scans/inventory-store.ts';
import type { PlanDocument } from './scans/plan-store.ts';
import type { ReplicaDocument } from './scans/replica-store.ts';

export interface Collections {
  readonly replicas: Collection<ReplicaDocument>;
  readonly refreshes: Collection<RefreshDocument>;
  readonly inventories: Collection<InventoryDocument>;
  readonly plans: Collection<PlanDocument>;
  readonly identities: Collection<IdentityDocument>;
  readonly appBreakers: Collection<AppBreakerDocument>;
  readonly admission: Collection<AdmissionDocument>;
  readonly quarterHours: Collection<QuarterHourDocument>;
}

export function openCollections(db: Db): Collections {
  return {
    replicas: db.collection('replicas'),
    refreshes: db.collection('refreshes'),
    inventories: db.collection('inventories'),
    plans: db.collection('plans'),
    identities: db.collection('identities'),
    appBreakers: db.collection('appBreakers'),
    admission: db.collection('admission'),
    quarterHours: db.collection('quarterHours'),
  };
}

export const indexes: readonly CollectionIndexes[] = [
  {
    collection: 'refreshes',
    indexes: [
      {
        name: 'project_idempotency_key',
        keys: { projectId: 1, idempotencyKey: 1 },
        options: { unique: true, ...whereExists('idempotencyKey') },
      },
      {
        name: 'project_phase_newest',
        keys: { projectId: 1, phase: 1, requestedAt: -1, _id: -1 },
      },
      {
        name: 'watch_newest',
        keys: { watchId: 1, requestedAt: -1, _id: -1 },
        options: whereExists('watchId'),
      },
      { name: 'phase_oldest', keys: { phase: 1, queueDeadline: 1 } },
      { name: 'changed', keys: { changedAt: 1 }, options: whereExists('changedAt') },
      { name: 'terminal_account', keys: { terminal: 1, accountId: 1, requestedAt: 1 } },
      workIndex,
      { name: 'expire_at', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
    ],
  },
  {
    collection: 'inventories',
    indexes: [
      {
        name: 'scan_deadline',
        keys: { 'scan.deadline': 1 },
        options: whereExists('scan.deadline'),
      },
      { name: 'seen', keys: { seenAt: 1 }, options: { expireAfterSeconds: 180 * 86_400 } },
    ],
  },
  {
    collection: 'quarterHours',
    indexes: [{ name: 'expire', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } }],
  },
  {
    collection: 'replicas',
    indexes: [{ name: 'seen', keys: { seenAt: 1 }, options: { expireAfterSeconds: 60 } }],
  },
];
