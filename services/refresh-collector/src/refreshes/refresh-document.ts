import {
  accountId,
  projectId,
  refreshId,
  requestId,
  revisionId,
  watchId,
} from '@inventory/contracts/ids';
import { inventoryKey } from '@inventory/contracts/inventory-key';
import { language } from '@inventory/contracts/languages';
import { manifestPage } from '@inventory/contracts/messages/revision';
import { refreshRefusal } from '@inventory/contracts/refusal';
import {
  billingState,
  ledgerAsset,
  refreshOutcome,
  settlementDisposition,
} from '@inventory/contracts/vocabulary';
import { storedTrace } from '@inventory/mongo/parse-document';
import { workField } from '@inventory/work/work-field';
import { Binary } from 'mongodb';
import { z } from 'zod';
import { refreshPhases } from './refresh.domain.ts';

/** Whole credits, or units of a subscription. */
const billing = z.object({
  state: billingState,
  disposition: settlementDisposition.nullable(),
  asset: ledgerAsset,
  reserved: z.int(),
  charged: z.int().nullable(),
  released: z.int().nullable(),
});
const acceptance = z.object({
  priceVersion: z.int(),
  asset: ledgerAsset,
  amount: z.int(),
  available: z.int(),
});

/** A staged page with its position in the inventory. */
const stagedPage = manifestPage.extend({
  place: z.int(),
  nextCursor: z.string().nullable(),
  assetKeys: z.instanceof(Binary).exactOptional(),
});
export type StagedPageDocument = z.infer<typeof stagedPage>;

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
  /** The command that changed it last together with others (`createSharedUpdates`). */
  sharedBy: z.string().exactOptional(),
  phase: z.enum(refreshPhases),
  terminal: z.boolean(),
  accountId,
  projectId,
  requestId,
  /** The stored claim on the key; absent without a key, and in cancelled placeholders. */
  idempotencyKey: z.string().exactOptional(),
  fingerprint: z.string(),
  watchId: watchId.exactOptional(),
  scope: inventoryKey,
  scopeKey: z.string(),
  language,
  maxCredits: z.int(),
  maxAgeSeconds: z.int().exactOptional(),
  expectedPages: z.int().nullable(),
  waitingId: z.string().nullable(),
  requestedAt: z.date(),
  queueDeadline: z.date(),
  retryAfterSeconds: z.int(),
  collectDeadline: z.date().nullable(),
  completedAt: z.date().nullable(),
  refusal: refreshRefusal.nullable(),
  acceptance: acceptance.nullable(),
  cancelRequested: z.boolean(),
  outcome: refreshOutcome.nullable(),
  observedAssets: z.int().nullable(),
  revisionId: revisionId.nullable(),
  previousRevisionId: revisionId.exactOptional(),
  observedAt: z.date().exactOptional(),
  billing,
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

export type RefreshDocument = z.infer<typeof refresh> & Partial<z.infer<typeof stagedPages>>;

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
  maxAgeSeconds: true,
  watchId: true,
  scan: true,
  changedAt: true,
});
export type PlannedRefreshDocument = z.infer<typeof plannedRefresh>;

/** The fields of a refresh that the survey reads. */
const agedRefresh = refresh.pick({ _id: true, phase: true, requestedAt: true });
export type AgedRefreshDocument = z.infer<typeof agedRefresh>;

const collection = 'refreshes';
export const refreshDocument = { collection, schema: refresh };
export const stagedPagesDocument = { collection, schema: stagedPages };
export const plannedRefreshDocument = { collection, schema: plannedRefresh };
export const agedRefreshDocument = { collection, schema: agedRefresh };
