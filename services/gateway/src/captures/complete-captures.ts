import type { MessageBus, OutgoingMessage } from '@inventory/messaging/bus';
import { type Clock, isoTime } from '@inventory/runtime/clock';
import { forEachLimited } from '@inventory/runtime/concurrency';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan, type TraceCarrier } from '@inventory/runtime/tracing';
import { captureCompleted, chainEnded } from '../metrics.ts';
import { captureDueAtMs, captureEpoch, type PendingCapture } from './capture.domain.ts';
import { evidenceDigest } from './capture-page.ts';
import { evidenceOf, type StagedPage } from './live-chain.domain.ts';

/** A capture, and the trace of the request that read the chain's last page. */
export interface KeptCapture extends PendingCapture {
  readonly trace: TraceCarrier;
}

export interface CompleteCapturesDeps {
  readonly captures: {
    findDueCaptures(nowMs: number, limit: number): Promise<KeptCapture[]>;
    /** False when another replica took it, or its chain was ended meanwhile. */
    claimCapture(capture: KeptCapture, replica: string, untilMs: number): Promise<boolean>;
    /** Whether it is still as this replica claimed it. */
    isCaptureClaimed(capture: KeptCapture): Promise<boolean>;
    /** It was sent, or never will be. */
    deleteCapture(capture: KeptCapture): Promise<void>;
  };
  /** Whether a page of the chain is still to be paid, delivered or undone. */
  readonly intents: { hasOpenIntent(chainId: string): Promise<boolean> };
  readonly revisions: { listStagedPages(chainId: string): Promise<readonly StagedPage[]> };
  readonly publish: MessageBus['publish'];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of this replica. */
  readonly replica: string;
}

const batchMax = 50;
const concurrencyMax = 5;

/**
 * One round over the captures that are due; true when there may be more. Each is
 * 1. claimed by compare-and-set, which also moves its due time on: a crash after it leaves the
 *    capture to whoever comes then;
 * 2. left alone while a page of its chain has an open intent. Whoever undoes a page ends the chain
 *    before the intent is gone, so that a capture found unchanged after this look is fully paid;
 * 3. sent as a completed scan if the staged pages prove what the customer's cursors did. A crash
 *    after it sends the same command again, which its owner knows;
 * 4. forgotten: nobody waits for what becomes of it.
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
      deps.logger.warn({ err: error, chain_id: chainId }, 'a capture is left to a later try');
    }
  });
  return due.length === batchMax;
}

async function completeOne(deps: CompleteCapturesDeps, capture: KeptCapture): Promise<void> {
  const { captures, intents, revisions, clock } = deps;
  const nowMs = clock.now();
  if (!(await captures.claimCapture(capture, deps.replica, captureDueAtMs(nowMs, capture.epoch)))) return;
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

/** The same message for the same chain, whoever sends it and however often. */
function completedMessage(capture: KeptCapture, pages: readonly StagedPage[]): OutgoingMessage {
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
