import type { ManifestPage } from '@inventory/contracts/messages/revision';
import type { MessageBus, OutgoingMessage } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import { inSpan } from '@inventory/runtime/tracing';
import type { StartedWorkKind } from '@inventory/work/start-worker';
import type { Pending, WorkQueue } from '@inventory/work/work-queue';
import type { WorkResult } from '@inventory/work/worker';
import { capturesCompleted, capturesEnded } from '../metrics.ts';
import { work } from '../work.ts';
import { type Capture, isGivenUp } from './capture.domain.ts';
import { evidenceDigest } from './capture-page.ts';
import type { PendingCapture } from './capture-store.ts';
import { evidenceOf } from './live-chain.domain.ts';

export interface CompleteCapturesDeps {
  readonly queue: WorkQueue<PendingCapture>;
  /** Whether a page of the chain has an open intent. */
  readonly intents: { hasOpenIntent(chainId: string): Promise<boolean> };
  readonly revisions: { listStagedPages(chainId: string): Promise<readonly ManifestPage[]> };
  readonly publish: MessageBus['publish'];
  readonly settleWithinMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Completes the captures of chains. A claimed one is
 * 1. postponed while a page of its chain has an open intent. A reversal excludes the chain before it
 *    deletes the intent, so a capture that is unchanged after this check is fully paid;
 * 2. sent as a completed scan if the staged pages reproduce the digest of the cursors. A crash
 *    after it sends the same command again; its handler is idempotent;
 * 3. done: no request depends on its outcome.
 */
export function captureWork(deps: CompleteCapturesDeps): StartedWorkKind<PendingCapture> {
  const { queue } = deps;
  return {
    ...work.captures,
    queue,
    work: (claimed) => {
      const { trace, chainId } = claimed.item;
      const attributes = { 'inventory.chain_id': chainId };
      return inSpan({ name: 'complete capture', parent: trace, attributes }, () =>
        complete(deps, claimed),
      );
    },
  };
}

async function complete(
  { queue, intents, revisions, publish, settleWithinMs, clock, logger }: CompleteCapturesDeps,
  claimed: Pending<PendingCapture>,
): Promise<WorkResult> {
  const { item: capture } = claimed;
  const { chainId } = capture;
  const giveUp = (reason: 'deadline' | 'evidence') => {
    capturesEnded.add(1, { reason });
    logger.info({ chainId, reason }, 'capture given up');
    return 'done' as const;
  };
  if (isGivenUp(capture, clock.now(), settleWithinMs)) return giveUp('deadline');
  if (await intents.hasOpenIntent(chainId)) return 'later';
  if (!(await queue.isClaimed(claimed))) return 'later';
  const pages = await revisions.listStagedPages(chainId);
  if (evidenceOf(pages, evidenceDigest) !== capture.evidence) return giveUp('evidence');
  await publish([completedMessage(capture, pages)]);
  capturesCompleted.add(1);
  return 'done';
}

/** The message of a chain: identical for every replica and attempt. */
function completedMessage(capture: Capture, staged: readonly ManifestPage[]): OutgoingMessage {
  const { chainId, accountId, scope, language, scanWindow, reportedTotalCount, replaced } = capture;
  return {
    type: 'revision.completed.v1',
    id: `completed:${chainId}`,
    body: {
      scanId: chainId,
      refreshId: null,
      source: 'capture',
      accountId,
      scope,
      language,
      sequence: null,
      scanWindow,
      reportedTotalCount,
      pages: staged.filter(({ page }) => !replaced.includes(page)),
    },
  };
}
