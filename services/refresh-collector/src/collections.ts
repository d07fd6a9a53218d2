import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { workIndex } from '@inventory/work/work-field';
import type { Db } from 'mongodb';
import type { AdmissionDocument } from './admission/admission-store.ts';
import type { AppBreakerDocument } from './egress/app-breaker-store.ts';
import type { IdentityDocument } from './egress/identity-store.ts';
import type { PlanDocument } from './plan/plan-store.ts';
import type { ReplicaDocument } from './plan/replica-store.ts';
import type { RefreshDocument } from './saga/refresh-document.ts';
import type { InventoryDocument } from './scans/inventory-store.ts';
import type { QuarterHourDocument } from './status/quarter-hour-store.ts';

export type Collections = ReturnType<typeof openCollections>;

export function openCollections(db: Db) {
  return {
    replicas: db.collection<ReplicaDocument>('replicas'),
    refreshes: db.collection<RefreshDocument>('refreshes'),
    inventories: db.collection<InventoryDocument>('inventories'),
    plans: db.collection<PlanDocument>('plans'),
    identities: db.collection<IdentityDocument>('identities'),
    appBreakers: db.collection<AppBreakerDocument>('appBreakers'),
    admission: db.collection<AdmissionDocument>('admission'),
    quarterHours: db.collection<QuarterHourDocument>('quarterHours'),
  };
}

export const collectorIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'refreshes',
    shardKey: { projectId: 1 },
    indexes: [
      {
        name: 'project_idempotency_key',
        keys: { projectId: 1, keyClaim: 1 },
        options: { unique: true, ...whereExists('keyClaim') },
      },
      {
        name: 'project_phase_newest',
        keys: { projectId: 1, phase: 1, requestedAtMs: -1, _id: -1 },
      },
      {
        name: 'project_inventory_newest',
        // Without the phase: an entry is written once. An inventory of one Project has few refreshes.
        keys: { projectId: 1, scopeKey: 1, requestedAtMs: -1, _id: -1 },
      },
      {
        name: 'project_outcome_newest',
        keys: { projectId: 1, outcome: 1, requestedAtMs: -1, _id: -1 },
        // Those whose outcome is final: an entry is written once, with the last phase.
        options: { partialFilterExpression: { phase: 'completed' } },
      },
      {
        name: 'watch_newest',
        keys: { watchId: 1, requestedAtMs: -1, _id: -1 },
        options: { partialFilterExpression: { watchId: { $gt: '' } } },
      },
      {
        name: 'waiting_for_observation',
        keys: { scopeKey: 1 },
        options: {
          partialFilterExpression: {
            terminal: false,
            'freshness.maxAgeSeconds': { $exists: true },
          },
        },
      },
      { name: 'phase_oldest', keys: { phase: 1, queueDeadlineMs: 1 } },
      { name: 'changed', keys: { changedAt: 1 }, options: whereExists('changedAt') },
      { name: 'terminal_account', keys: { terminal: 1, accountId: 1, requestedAtMs: 1 } },
      workIndex,
      { name: 'expire_at', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
    ],
  },
  {
    collection: 'inventories',
    shardKey: { _id: 1 },
    indexes: [
      {
        name: 'scan_deadline',
        keys: { 'scan.deadlineMs': 1 },
        options: whereExists('scan.deadlineMs'),
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
  ...['plans', 'identities', 'appBreakers', 'admission'].map((collection) => ({
    collection,
    indexes: [],
  })),
];
