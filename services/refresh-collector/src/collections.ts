import { accountId, projectId, refreshId, requestId, revisionId } from '@inventory/contracts/ids';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { language } from '@inventory/contracts/languages';
import { manifestPage } from '@inventory/contracts/messages/revision-commands';
import { refreshRefusal } from '@inventory/contracts/refusal';
import { refreshOutcome } from '@inventory/contracts/vocabulary';
import { type CollectionIndexes, whereExists } from '@inventory/mongo/indexes';
import { storedTrace } from '@inventory/mongo/stored-trace';
import { leaseField } from '@inventory/work/lease';
import { outboxIndex, type WithOutbox } from '@inventory/work/outbox';
import { workField, workIndex } from '@inventory/work/work-field';
import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { identityStatuses } from './egress/egress-identity.domain.ts';
import { acceptanceDocument, billingDocument } from './refreshes/billing-document.ts';
import { openPhases, refreshPhases, waitingPhases } from './refreshes/refresh.domain.ts';

/** A staged page with its position in the inventory. */
const stagedPage = manifestPage.extend({ place: z.int(), nextCursor: z.string().nullable() });
export type StagedPageRecord = z.infer<typeof stagedPage>;

/** A write of a scan is conditional on the version of its refresh; the lease is in the inventory. */
const scan = z.object({
  epoch: z.int(),
  sequence: z.int(),
  worker: z.string().nullable(),
  startedAt: z.date(),
  completedAt: z.date().nullable(),
  pages: z.int(),
  assetsRead: z.int(),
  reportedTotalCount: z.int().nullable(),
  endCheck: z.object({ cursor: z.string().nullable(), attempts: z.int() }),
  parked: z.boolean(),
});

/** One refresh: the only document that its saga writes. */
const refresh = z.object({
  _id: refreshId,
  version: z.int(),
  phase: z.enum(refreshPhases),
  terminal: z.boolean(),
  accountId,
  projectId,
  requestId,
  /** The stored claim on the key; absent without a key, and in cancelled placeholders. */
  idempotencyKey: z.string().exactOptional(),
  fingerprint: z.string(),
  scope: inventoryKey,
  scopeKey: z.string(),
  language,
  maxCredits: z.int(),
  expectedPages: z.int().nullable(),
  waitingId: z.string().nullable(),
  requestedAt: z.date(),
  queueDeadline: z.date(),
  retryAfterSeconds: z.int(),
  collectDeadline: z.date().nullable(),
  completedAt: z.date().nullable(),
  refusal: refreshRefusal.nullable(),
  acceptance: acceptanceDocument.nullable(),
  cancelRequested: z.boolean(),
  outcome: refreshOutcome.nullable(),
  observedAssets: z.int().nullable(),
  revisionId: revisionId.nullable(),
  billing: billingDocument,
  eventAppended: z.boolean(),
  scan: scan.nullable(),
  /** The resend of its pending command. */
  work: workField.exactOptional(),
  /** When its phase, its pages or its place in the plan last changed, from `queued` on. */
  changedAt: z.date().exactOptional(),
  trace: storedTrace,
  expireAt: z.date().exactOptional(),
});
/** The staged pages of a refresh; its other fields are parsed without them. */
const stagedPages = z.object({ _id: refreshId, pages: z.array(stagedPage).default([]) });

export type RefreshDocument = z.infer<typeof refresh> &
  Partial<z.infer<typeof stagedPages>> &
  WithOutbox;

/** The fields of a refresh that planning reads. */
const plannedRefresh = refresh.pick({
  _id: true,
  version: true,
  accountId: true,
  scopeKey: true,
  scope: true,
  phase: true,
  queueDeadline: true,
  collectDeadline: true,
  expectedPages: true,
  scan: true,
  changedAt: true,
});
export type PlannedRefreshDocument = z.infer<typeof plannedRefresh>;

/** The fields of a refresh that the survey reads. */
const agedRefresh = refresh.pick({ _id: true, phase: true, requestedAt: true });
export type AgedRefreshDocument = z.infer<typeof agedRefresh>;

const identity = z.object({
  _id: z.string(),
  version: z.int(),
  arrivalMs: z.number(),
  inFlight: z.object({ token: z.string(), untilMs: z.number() }).nullable(),
  silentUntilMs: z.number(),
  refusals: z.int(),
  unreachableUntilMs: z.number(),
  connectFailures: z.int(),
  liveCredit: z.number(),
});
export type IdentityDocument = z.infer<typeof identity>;

const appBreaker = z.object({
  _id: z.int(),
  openedAtMs: z.number(),
  openUntilMs: z.number(),
  openings: z.int(),
  probeAtMs: z.number(),
});
export type AppBreakerDocument = z.infer<typeof appBreaker>;

/** Its fields are written apart: any of them may be missing. */
const admission = z.object({
  _id: z.literal('admission'),
  operatorClosed: z.boolean().default(false),
  countClosed: z.boolean().default(false),
  outstanding: z.int().default(0),
  counts: z.int().default(0),
});
export type AdmissionDocument = z.infer<typeof admission>;

/** The presence of a replica, written every second. */
const replica = z.object({ _id: z.string(), seenAt: z.date(), livePagesPerMinute: z.number() });
export type ReplicaDocument = z.infer<typeof replica>;

const inventoryScan = z.object({
  refreshId,
  /** Until when it collects; the earliest is taken first. */
  deadline: z.date(),
});

/** One inventory: its scan and the lease of the worker, and its last size. */
const inventory = z.object({
  _id: z.string(),
  /** Present while a scan is started and not ended; one scan at a time. */
  scan: inventoryScan.exactOptional(),
  /** Of the worker that reads it; absent while the scan waits for one. */
  lease: leaseField.exactOptional(),
  /** Pages of its last complete scan, or those that a later scan reported. */
  pages: z.int().exactOptional(),
  /** Of the lease that was opened last. */
  sequence: z.int().exactOptional(),
  seenAt: z.date(),
});
export type InventoryDocument = z.infer<typeof inventory>;

const phaseCount = <const Phases extends readonly string[]>(phases: Phases) =>
  z.object({ phase: z.enum(phases), count: z.int(), oldestAtMs: z.number().nullable() });

const survey = z.object({
  open: z.array(phaseCount(openPhases)).readonly(),
  stuck: z.array(phaseCount(waitingPhases)).readonly(),
  identities: z.array(z.object({ state: z.enum(identityStatuses), count: z.int() })).readonly(),
});

/** The planner lease, and the plan and the survey that its holder published last. */
const plan = z.object({
  _id: z.literal('plan'),
  lease: leaseField.exactOptional(),
  atMs: z.number(),
  urgentUntilMs: z.number().nullable(),
  liveShare: z.number(),
  pagesPerMinute: z.number(),
  pagesPerMinuteHoped: z.number(),
  servesFromMs: z.number(),
  pagesReserved: z.number(),
  pagesWaiting: z.number(),
  pagesFree: z.number(),
  scanPagesMax: z.number(),
  typicalPages: z.number(),
  replicas: z.int(),
  pagesPerReplica: z.number(),
  reserved: z.array(z.string()).readonly(),
  accounts: z.int(),
  busiest: z
    .array(z.object({ accountId: z.string(), refreshes: z.int(), pages: z.number() }))
    .readonly(),
  survey: survey.nullable(),
});
export type PlanDocument = z.infer<typeof plan>;

export const documents = {
  replica: { collection: 'replicas', schema: replica },
  refresh: { collection: 'refreshes', schema: refresh },
  stagedPages: { collection: 'refreshes', schema: stagedPages },
  plannedRefresh: { collection: 'refreshes', schema: plannedRefresh },
  agedRefresh: { collection: 'refreshes', schema: agedRefresh },
  inventory: { collection: 'inventories', schema: inventory },
  plan: { collection: 'plans', schema: plan },
  identity: { collection: 'identities', schema: identity },
  appBreaker: { collection: 'appBreakers', schema: appBreaker },
  admission: { collection: 'admission', schema: admission },
};

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
    replicas: db.collection(documents.replica.collection),
    refreshes: db.collection(documents.refresh.collection),
    inventories: db.collection(documents.inventory.collection),
    plans: db.collection(documents.plan.collection),
    identities: db.collection(documents.identity.collection),
    appBreakers: db.collection(documents.appBreaker.collection),
    admission: db.collection(documents.admission.collection),
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
      { name: 'phase_oldest', keys: { phase: 1, queueDeadline: 1 } },
      { name: 'changed', keys: { changedAt: 1 }, options: whereExists('changedAt') },
      { name: 'terminal_account', keys: { terminal: 1, accountId: 1, requestedAt: 1 } },
      workIndex,
      { name: 'expire_at', keys: { expireAt: 1 }, options: { expireAfterSeconds: 0 } },
      outboxIndex,
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
    collection: 'replicas',
    indexes: [{ name: 'seen', keys: { seenAt: 1 }, options: { expireAfterSeconds: 60 } }],
  },
];
