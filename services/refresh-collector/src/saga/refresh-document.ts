import { refreshId } from '@inventory/contracts/ids';
import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import { manifestPage } from '@inventory/contracts/messages/revision';
import { parseDocument } from '@inventory/mongo/parse-document';
import type { Backoff } from '@inventory/runtime/backoff';
import { newWork, workField } from '@inventory/work/work-field';
import { Binary } from 'mongodb';
import { z } from 'zod';
import type { RecordedPage } from './recorded-scan.domain.ts';
import { isTerminal, isWaiting, plannedRefresh, type Refresh, refresh } from './refresh.domain.ts';

/** A staged page of a scan, as it is recorded. */
const stagedPage = manifestPage.extend({
  index: z.int(),
  nextCursor: z.string().nullable(),
  assetKeys: z.instanceof(Binary).exactOptional(),
});
export type StagedPageRecord = z.infer<typeof manifestPage> & RecordedPage;

/** One refresh and what the database acts on: the only document that its saga writes. */
const document = refresh.extend({
  _id: refreshId,
  terminal: z.boolean(),
  /** Its claim on its Idempotency-Key; absent without a key, and in cancelled placeholders. */
  keyClaim: z.string().exactOptional(),
  scopeKey: z.string(),
  /** The resend of its pending command. */
  work: workField.exactOptional(),
  /** When its phase, its pages or its position in the plan last changed, from `queued` on. */
  changedAt: z.date().exactOptional(),
  expireAt: z.date().exactOptional(),
  pages: z.array(stagedPage).exactOptional(),
});
export type RefreshDocument = z.infer<typeof document>;

/** A planned refresh, and when it changed. */
const { changedAt } = document.shape;
const changedRefresh = plannedRefresh.extend({ _id: refreshId, changedAt });
export type ChangedRefresh = z.infer<typeof changedRefresh>;

/** The fields of a refresh that the survey reads. */
const agedRefresh = document.pick({ _id: true, phase: true, requestedAtMs: true });
export type AgedRefreshDocument = z.infer<typeof agedRefresh>;

const collection = 'refreshes';
export const changedRefreshDocument = { collection, schema: changedRefresh };
export const agedRefreshDocument = { collection, schema: agedRefresh };
/** What is pending of a refresh is beside it. */
export const refreshDocument = {
  collection,
  schema: refresh.extend({ _id: refreshId, work: workField.exactOptional() }),
};
type PendingRefresh = z.infer<typeof refreshDocument.schema>;

/** The refresh of a document that is parsed already. */
export function pendingRefresh({ _id, work, ...pending }: PendingRefresh): Refresh {
  return pending;
}

const stagedPagesDocument = { collection, schema: document.pick({ _id: true, pages: true }) };

/** The refresh of a document, without its pages. */
export function refreshIn(stored: RefreshDocument): Refresh {
  return parseDocument({ collection, schema: refresh }, stored);
}

export function stagedPagesIn(stored: RefreshDocument): StagedPageRecord[] {
  const { pages = [] } = parseDocument(stagedPagesDocument, stored);
  return pages.map(({ assetKeys, ...page }) =>
    // A copy, because bytes inside a reply are not aligned.
    assetKeys
      ? { ...page, assetKeys: new Float64Array(Uint8Array.from(assetKeys.buffer).buffer) }
      : page,
  );
}

export function storedPage({ assetKeys, ...page }: StagedPageRecord): z.infer<typeof stagedPage> {
  return assetKeys ? { ...page, assetKeys: new Binary(Buffer.from(assetKeys.buffer)) } : page;
}

/** How long documents are kept after they became terminal, and when pending commands are resent. */
export interface RefreshTimes {
  readonly retention: { readonly terminalMs: number; readonly refusedMs: number };
  readonly resend: Backoff;
}

/** The document of a new refresh. */
export function newDocument(
  attempt: Refresh,
  claim: KeyClaim | null,
  nowMs: number,
  times: RefreshTimes,
): RefreshDocument {
  return {
    _id: attempt.refreshId,
    ...attempt,
    ...(claim === null ? {} : { keyClaim: storedClaim(claim) }),
    scopeKey: inventoryKeyText(attempt.scope),
    ...derivedFields(attempt, nowMs, times),
  };
}

/** Those of commands that hold credits do not wait for announcements. */
export const resendQueues = ['commands', 'announcements'] as const;
export type ResendQueue = (typeof resendQueues)[number];

function resendQueueOf({ phase }: Refresh): ResendQueue {
  return phase === 'completed' ? 'announcements' : 'commands';
}

/** MongoDB deletes a document by it. */
export const expiryAt = (timeMs: number): Date => new Date(timeMs);

/** What follows from each state: when its command is resent and when it expires, where they apply. */
export function derivedFields(state: Refresh, nowMs: number, { retention, resend }: RefreshTimes) {
  const terminal = isTerminal(state.phase);
  const retentionMs = state.phase === 'refused' ? retention.refusedMs : retention.terminalMs;
  return {
    terminal,
    ...(isWaiting(state) ? { work: newWork(nowMs + resend.firstMs, resendQueueOf(state)) } : {}),
    ...(terminal ? { expireAt: expiryAt(nowMs + retentionMs) } : {}),
  };
}

/**
 * The claim of an attempt on its Idempotency-Key, as stored under the unique index: the key itself
 * at generation 0, the key and its generation after that many refusals. A claim is immutable: a
 * refusal changes the phase of its attempt only, and the next attempt claims the next generation.
 */
export interface KeyClaim {
  readonly key: string;
  readonly generation: number;
}

/** Keys are printable ASCII, so none contains the separator or a character that sorts before it. */
const separator = '\n';
const afterSeparator = '\v';
const generationDigits = 9;

export function storedClaim({ key, generation }: KeyClaim): string {
  if (generation === 0) return key;
  // Padded: claims on a key sort by their generations.
  return `${key}${separator}${String(generation).padStart(generationDigits, '0')}`;
}

export function claimIn(stored: string): KeyClaim {
  const [key = '', generation = '0'] = stored.split(separator);
  return { key, generation: Number(generation) };
}

/** All claims on this key, and on no other. */
export function claimsOn(key: string) {
  return { $gte: key, $lt: `${key}${afterSeparator}` };
}
