import type { InventoryKey } from '@inventory/contracts/inventory-key';
import type { ManifestPage } from '@inventory/contracts/messages/revision-commands';
import type { CollectionIndexes } from '@inventory/mongo/indexes';
import { outboxIndex, type WithOutbox } from '@inventory/mongo/outbox';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import type { Collection, Db } from 'mongodb';
import type { AppOpening } from './egress/app-breaker.domain.ts';
import type { IdentityState } from './egress/egress-identity.domain.ts';
import type { AdmissionState } from './refreshes/admission.domain.ts';
import type { AcceptanceDocument, BillingDocument } from './refreshes/billing-document.ts';
import type { PublishedPlan } from './refreshes/published-plan.domain.ts';
import type { EndCheck, RecordedPage } from './refreshes/recorded-page.domain.ts';
import type { Refresh } from './refreshes/refresh.domain.ts';
import type { RefusalDocument } from './refreshes/refusal-document.ts';

/** A staged page with its position in the inventory. */
export interface StagedPageRecord extends ManifestPage, RecordedPage {}

/** One refresh: the only document that its saga writes. */
export interface RefreshDocument extends WithOutbox {
  readonly _id: string;
  readonly version: number;
  readonly phase: Refresh['phase'];
  readonly terminal: boolean;
  readonly accountId: Refresh['accountId'];
  readonly projectId: Refresh['projectId'];
  readonly requestId: Refresh['requestId'];
  /** The stored claim on the key; absent without a key, and in cancelled placeholders. */
  readonly idempotencyKey?: string;
  readonly fingerprint: string;
  readonly scope: InventoryKey;
  readonly scopeKey: string;
  readonly language: Refresh['language'];
  readonly maxCredits: number;
  /** Absent in documents of earlier versions. */
  readonly expectedPages?: number | null;
  readonly waitingId: string | null;
  readonly requestedAt: Date;
  readonly queueDeadline: Date;
  readonly collectDeadline: Date | null;
  readonly completedAt: Date | null;
  readonly refusal: RefusalDocument | null;
  readonly acceptance: AcceptanceDocument | null;
  readonly cancelRequested: boolean;
  readonly outcome: Refresh['outcome'];
  readonly observedAssets: number | null;
  readonly revisionId: Refresh['revisionId'];
  readonly billing: BillingDocument;
  readonly eventAppended: boolean;
  readonly scan: ScanFields | null;
  readonly pages?: readonly StagedPageRecord[];
  /** When its pending command is resent; absent when none is pending. */
  readonly askAt?: Date;
  /** When its phase, its pages or its place in the plan last changed, from `queued` on. */
  readonly changedAt?: Date;
  /** How often it was resent. */
  readonly asks: number;
  readonly trace: TraceCarrier;
  readonly expireAt?: Date;
}

/** A write of a scan is conditional on the version of its refresh; the lease is in the inventory. */
export interface ScanFields {
  readonly epoch: number;
  readonly worker: string | null;
  readonly startedAt: Date;
  readonly completedAt: Date | null;
  readonly pages: number;
  readonly reportedTotalCount: number | null;
  /** Absent in documents of earlier versions. */
  readonly endCheck?: EndCheck;
  readonly parked: boolean;
}

export interface IdentityDocument extends Omit<IdentityState, 'id'> {
  readonly _id: string;
}

export interface AppBreakerDocument extends AppOpening {
  readonly _id: number;
}

export interface AdmissionDocument extends AdmissionState {
  readonly _id: 'admission';
  /** Absent in documents of earlier versions. */
  readonly counts?: number;
}

/** The presence of a replica, written every second. */
export interface ReplicaDocument {
  readonly _id: string;
  readonly seenAt: Date;
  readonly livePagesPerMinute: number;
}

/** One inventory: the lease of its scan, and its last size. */
export interface InventoryDocument {
  readonly _id: string;
  /** Present while a scan is started and not ended; one scan at a time. */
  readonly scan?: InventoryLease;
  /** Pages of its last complete scan, or those that a later scan reported. */
  readonly pages?: number;
  readonly seenAt: Date;
}

export interface InventoryLease {
  readonly refreshId: string;
  /** Changes with every worker; null while it waits for one. */
  readonly token: string | null;
  readonly leaseUntil: Date;
}

/** The planner lease, and the plan that its holder published last. */
export interface PlanDocument extends PublishedPlan {
  readonly _id: 'plan';
  readonly owner: string;
  readonly leaseUntil: Date;
}

export interface Collections {
  readonly replicas: Collection<ReplicaDocument>;
  readonly refreshes: Collection<RefreshDocument>;
  readonly inventories: Collection<InventoryDocument>;
  readonly plans: Collection<PlanDocument>;
  readonly identities: Collection<IdentityDocument>;
  readonly appBreakers: Collection<AppBreakerDocument>;
  readonly admission: Collection<AdmissionDocument>;
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
  };
}

const exists = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

export const indexes: readonly CollectionIndexes[] = [
  {
    collection: 'refreshes',
    indexes: [
      {
        name: 'project_idempotency_key',
        keys: { projectId: 1, idempotencyKey: 1 },
        options: { unique: true, ...exists('idempotencyKey') },
      },
      { name: 'project_newest', keys: { projectId: 1, requestedAt: -1, _id: -1 } },
      { name: 'phase_oldest', keys: { phase: 1, queueDeadline: 1 } },
      { name: 'changed', keys: { changedAt: 1 }, options: exists('changedAt') },
      { name: 'terminal_account', keys: { terminal: 1, accountId: 1, requestedAt: 1 } },
      { name: 'ask_at', keys: { askAt: 1 }, options: exists('askAt') },
      { name: 'expire_at', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
      outboxIndex,
    ],
  },
  {
    collection: 'inventories',
    indexes: [
      { name: 'lease_until', keys: { 'scan.leaseUntil': 1 }, options: exists('scan.leaseUntil') },
      { name: 'seen', keys: { seenAt: 1 }, options: { expireAfterSeconds: 180 * 86_400 } },
    ],
  },
  {
    collection: 'replicas',
    indexes: [{ name: 'seen', keys: { seenAt: 1 }, options: { expireAfterSeconds: 60 } }],
  },
];
