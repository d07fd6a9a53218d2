import { inventoryKeyText } from '@inventory/contracts/inventory-key';
import type { ManifestPage } from '@inventory/contracts/messages/revision';
import { parseDocument } from '@inventory/mongo/parse-document';
import type { Backoff } from '@inventory/runtime/backoff';
import { dateOf, dateOrNull } from '@inventory/runtime/clock';
import type { TraceCarrier } from '@inventory/runtime/tracing';
import { newWork } from '@inventory/work/work-field';
import { Binary } from 'mongodb';
import type { RecordedPage } from './recorded-scan.domain.ts';
import { isTerminal, isWaiting, type Refresh } from './refresh.domain.ts';
import {
  type RefreshDocument,
  refreshDocument,
  type StagedPageDocument,
  stagedPagesDocument,
} from './refresh-document.ts';

/** How long documents are kept after they became terminal, and when pending commands are resent. */
export interface RefreshTimes {
  readonly retention: { readonly terminalMs: number; readonly refusedMs: number };
  readonly resend: Backoff;
}

export function fromDocument(stored: RefreshDocument): StoredRefresh {
  const document = parseDocument(refreshDocument, stored);
  return { refresh: toRefresh(document), trace: document.trace };
}

/** Without what is of the document alone. */
function toRefresh({ _id: id, idempotencyKey, ...document }: RefreshDocument): Refresh {
  const { sharedBy, terminal, scopeKey, pages, work, changedAt, trace, expireAt, ...fields } =
    document;
  const { requestedAt, queueDeadline, collectDeadline, completedAt, observedAt, scan, ...same } =
    fields;
  return {
    ...same,
    id,
    idempotencyKey: heldKeyOf(document.phase, idempotencyKey),
    watchId: document.watchId ?? null,
    maxAgeSeconds: document.maxAgeSeconds ?? null,
    previousRevisionId: document.previousRevisionId ?? null,
    requestedAtMs: requestedAt.getTime(),
    queueDeadlineMs: queueDeadline.getTime(),
    collectDeadlineMs: collectDeadline?.getTime() ?? null,
    completedAtMs: completedAt?.getTime() ?? null,
    observedAtMs: observedAt?.getTime() ?? null,
    scan: scan && toScanSummary(scan),
  };
}

/** A refused attempt stores its claim and holds no key. */
function heldKeyOf(phase: Refresh['phase'], claim: string | undefined): string | null {
  return claim === undefined || phase === 'refused' ? null : fromStoredClaim(claim).key;
}

function toScanSummary({ startedAt, completedAt, ...same }: NonNullable<RefreshDocument['scan']>) {
  const completedAtMs = completedAt?.getTime() ?? null;
  return { ...same, startedAtMs: startedAt.getTime(), completedAtMs };
}

/** A staged page of a scan, as it is recorded. */
export type StagedPageRecord = ManifestPage & RecordedPage;

export function stagedPagesOf(stored: RefreshDocument): StagedPageRecord[] {
  return parseDocument(stagedPagesDocument, stored).pages.map(({ assetKeys, ...page }) =>
    // A copy, because bytes inside a reply are not aligned.
    assetKeys
      ? { ...page, assetKeys: new Float64Array(Uint8Array.from(assetKeys.buffer).buffer) }
      : page,
  );
}

export function toStagedPage({ assetKeys, ...page }: StagedPageRecord): StagedPageDocument {
  return assetKeys ? { ...page, assetKeys: new Binary(Buffer.from(assetKeys.buffer)) } : page;
}

/** The document of a new refresh. */
export function toNewDocument(
  refresh: Refresh,
  claim: KeyClaim | null,
  trace: RefreshDocument['trace'],
  nowMs: number,
  times: RefreshTimes,
): RefreshDocument {
  return {
    _id: refresh.id,
    fingerprint: refresh.fingerprint,
    ...(refresh.watchId === null ? {} : { watchId: refresh.watchId }),
    accountId: refresh.accountId,
    projectId: refresh.projectId,
    requestId: refresh.requestId,
    ...(claim === null ? {} : { idempotencyKey: toStoredClaim(claim) }),
    scope: refresh.scope,
    scopeKey: inventoryKeyText(refresh.scope),
    language: refresh.language,
    maxCredits: refresh.maxCredits,
    ...(refresh.maxAgeSeconds === null ? {} : { maxAgeSeconds: refresh.maxAgeSeconds }),
    waitingId: refresh.waitingId,
    requestedAt: new Date(refresh.requestedAtMs),
    queueDeadline: new Date(refresh.queueDeadlineMs),
    retryAfterSeconds: refresh.retryAfterSeconds,
    scan: null,
    trace,
    ...changingFields(refresh),
    ...timedFields(refresh, nowMs, times),
  };
}

/** The fields a step of the saga may change, except for scan and pages. */
export function changingFields(refresh: Refresh) {
  return {
    version: refresh.version,
    phase: refresh.phase,
    terminal: isTerminal(refresh.phase),
    collectDeadline: dateOrNull(refresh.collectDeadlineMs),
    expectedPages: refresh.expectedPages,
    completedAt: dateOrNull(refresh.completedAtMs),
    refusal: refresh.refusal,
    acceptance: refresh.acceptance,
    cancelRequested: refresh.cancelRequested,
    outcome: refresh.outcome,
    observedAssets: refresh.observedAssets,
    revisionId: refresh.revisionId,
    ...(refresh.previousRevisionId === null
      ? {}
      : { previousRevisionId: refresh.previousRevisionId }),
    ...(refresh.observedAtMs === null ? {} : { observedAt: dateOf(refresh.observedAtMs) }),
    billing: refresh.billing,
    eventAppended: refresh.eventAppended,
  };
}

/** Those of commands with credits behind them do not wait for announcements. */
export const resendQueues = ['commands', 'announcements'] as const;
export type ResendQueue = (typeof resendQueues)[number];

function resendQueueOf({ phase }: Refresh): ResendQueue {
  return phase === 'completed' ? 'announcements' : 'commands';
}

/** When its command is resent and when the document expires; each only where it applies. */
export function timedFields(refresh: Refresh, nowMs: number, times: RefreshTimes) {
  const { retention, resend } = times;
  const retentionMs = refresh.phase === 'refused' ? retention.refusedMs : retention.terminalMs;
  return {
    ...(isWaiting(refresh)
      ? { work: newWork(nowMs + resend.firstMs, resendQueueOf(refresh)) }
      : {}),
    ...(isTerminal(refresh.phase) ? { expireAt: new Date(nowMs + retentionMs) } : {}),
  };
}

/** A refresh and the trace of its request. */
export interface StoredRefresh {
  readonly refresh: Refresh;
  readonly trace: TraceCarrier;
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

export function toStoredClaim({ key, generation }: KeyClaim): string {
  if (generation === 0) return key;
  // Padded: claims on a key sort by their generations.
  return `${key}${separator}${String(generation).padStart(generationDigits, '0')}`;
}

export function fromStoredClaim(stored: string): KeyClaim {
  const [key = '', generation = '0'] = stored.split(separator);
  return { key, generation: Number(generation) };
}

/** All claims on this key, and on no other. */
export function claimsOn(key: string) {
  return { $gte: key, $lt: `${key}${afterSeparator}` };
}
