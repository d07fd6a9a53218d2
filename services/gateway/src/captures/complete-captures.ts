import type { MessageBus, OutgoingMessage } from '@inventory/messaging/bus';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan, type TraceCarrier } from '@inventory/runtime/tracing';
import { captureCompleted, chainEnded } from '../metrics.ts';
import { captureDueAtMs, captureEpoch, type PendingCapture } from './capture.domain.ts';
import { evidenceDigest } from './capture-page.ts';
import { evidenceOf, type StagedPage } from './live-chain.domain.ts';

/** A capture, with the trace of the request that read the last page. */
export interface KeptCapture extends PendingCapture {
  readonly trace: TraceCarrier;
}

export interface CompleteCapturesDeps {
  readonly captures: {
    findDueCaptures(nowMs: number, limit: number): Promise<KeptCapture[]>;
    /** False when another replica claimed it, or its chain was excluded. */
    claimCapture(capture: KeptCapture, replica: string, untilMs: number): Promise<boolean>;
    /** Whether the claim of this replica still holds. */
    isCaptureClaimed(capture: KeptCapture): Promise<boolean>;
    /** Called once the capture was sent or given up. */
    deleteCapture(capture: KeptCapture): Promise<void>;
  };
  /** Whether a page of the chain has an open intent. */
  readonly intents: { hasOpenIntent(chainId: string): Promise<boolean> };
  readonly revisions: { listStagedPages(chainId: string): Promise<readonly StagedPage[]> };
  readonly publish: MessageBus['publish'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Id of this replica. */
  readonly replica: string;
}

const batchMax = 50;
const concurrencyMax = 5;

/**
 * Processes the due captures; true when there may be more. Each capture is
 * 1. claimed by compare-and-set, which also postpones its due time: after a crash another replica
 *    claims it then;
 * 2. skipped while a page of its chain has an open intent. A reversal excludes the chain before it
 *    deletes the intent, so a capture that is unchanged after this check is fully paid;
 * 3. sent as a completed scan if the staged pages reproduce the digest of the cursors. A crash
 *    after it sends the same command again; its handler is idempotent;
 * 4. deleted: no request depends on its outcome.
 */
export async function completeCaptures(deps: CompleteCapturesDeps): Promise<boolean> {
  const due = await deps.captures.findDueCaptures(deps.clock.now(), batchMax);
  await forEachLimited(due, concurrencyMax, async (capture) => {
    const { trace, chainId } = capture;
    const attributes = { 'inventory.chain_id': chainId };
    try {
      await inSpan({ name: 'complete capture', parent: trace, attributes }, () =>
        completeOne(deps, capture),
      );
    } catch (error) {
      deps.logger.warn({ err: error, chain_id: chainId }, 'capture failed, retried later');
    }
  });
  return due.length === batchMax;
}

async function completeOne(deps: CompleteCapturesDeps, capture: KeptCapture): Promise<void> {
  const { captures, intents, revisions, clock } = deps;
  const nowMs = clock.now();
  if (!(await captures.claimCapture(capture, deps.replica, captureDueAtMs(nowMs, capture.epoch))))
    return;
  if (nowMs >= capture.giveUpAtMs) return giveUp(deps, capture, 'deadline');
  if (await intents.hasOpenIntent(capture.chainId)) return;
  if (!(await captures.isCaptureClaimed({ ...capture, epoch: capture.epoch + 1 }))) return;
  const pages = await revisions.listStagedPages(capture.chainId);
  if (evidenceOf(pages, evidenceDigest) !== capture.evidence) {
    return giveUp(deps, capture, 'evidence');
  }
  await deps.publish([completedMessage(capture, pages)]);
  captureCompleted();
  await captures.deleteCapture(capture);
}

async function giveUp(
  { captures, logger }: CompleteCapturesDeps,
  capture: KeptCapture,
  reason: 'deadline' | 'evidence',
): Promise<void> {
  chainEnded(reason);
  logger.info({ chain_id: capture.chainId, reason }, 'capture given up');
  await captures.deleteCapture(capture);
}

/** The message of a chain: identical for every replica and attempt. */
function completedMessage(capture: KeptCapture, staged: readonly StagedPage[]): OutgoingMessage {
  const pages = staged.filter(({ page }) => !capture.replaced.includes(page));
  return {
    type: 'revision.completed.v1',
    id: `completed:${capture.chainId}`,
    body: {
      scan_id: capture.chainId,
      refresh_id: null,
      source: 'capture',
      account_id: capture.accountId,
      scope: capture.scope,
      language: capture.language,
      scan_window: {
        started_at: isoTime(capture.startedAtMs),
        completed_at: isoTime(capture.completedAtMs),
      },
      reported_total_count: capture.reportedTotalCount,
      pages: pages.map(({ page, chunks }) => ({
        page,
        epoch: captureEpoch,
        chunks: chunks.map(({ digest, bytes }) => ({ digest, bytes })),
      })),
    },
  };
}
