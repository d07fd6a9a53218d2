import { randomUUID } from 'node:crypto';
import { InventoryError } from '@inventory/client/errors';
import type { RefreshRecord } from '@inventory/client/records';
import { exitCodes } from './cli-process.ts';
import { progressBar, refreshProgress } from './progress-bar.ts';
import {
  cells,
  fail,
  type InventoryFlags,
  inventoryScope,
  type Session,
  scopeText,
} from './session.ts';

export interface RefreshFlags extends InventoryFlags {
  readonly wait?: boolean;
  readonly maxCredits?: number;
  readonly maxAge?: number;
  readonly key?: string;
}

const waitDefaultSeconds = 900;
/** Past the timeout a refresh that has ended is still read. */
const waitMinMs = 5_000;

/** Requests a refresh of each inventory, and waits for their ends with `--wait`. */
export async function refreshInventories(
  session: Session,
  options: RefreshFlags,
  platformIds: readonly string[],
): Promise<void> {
  const { wait, timeout = waitDefaultSeconds, key = randomUUID() } = options;
  const failures: unknown[] = [];
  try {
    const accepted = await requestAll(session, { ...options, key }, platformIds, failures);
    if (wait) await waitForAll(session, accepted, timeout, failures);
  } catch (error) {
    failures.push(error);
    throw error;
  } finally {
    const isOpen = (error: unknown) => error instanceof InventoryError && error.retryable;
    if (session.cli.signal.aborted || failures.some(isOpen)) {
      const text = `To go on: the same command with --key ${key}. Nothing is requested twice.`;
      session.printer.note(text, { key });
    }
  }
}

/** A refusal of one leaves the others. */
async function requestAll(
  { client, printer, call, endWith }: Session,
  { key, wait, language, maxCredits, maxAge, ...inventory }: RefreshFlags & { key: string },
  platformIds: readonly string[],
  failures: unknown[],
): Promise<RefreshRecord[]> {
  const items = [...new Set(platformIds)].map((platformId) => {
    const scope = inventoryScope(platformId, inventory);
    const idempotencyKey = `${key}:${scopeText(scope)}`;
    return { scope, idempotencyKey, language, maxCredits, maxAge };
  });
  const results = await client.refreshBatch(items, call);
  const accepted: RefreshRecord[] = [];
  for (const [index, result] of results.entries()) {
    if (!result.accepted) {
      failures.push(result.error);
      endWith(fail(printer, result.error, items[index]?.scope));
      continue;
    }
    const { record } = result.answer;
    accepted.push(record);
    if (!wait) await printer.result(record, recordText(record));
  }
  return accepted;
}

/** One after the other: the others go on meanwhile. */
async function waitForAll(
  { cli, client, printer, endWith }: Session,
  accepted: readonly RefreshRecord[],
  timeoutSeconds: number,
  failures: unknown[],
): Promise<void> {
  const latest = new Map(accepted.map((record) => [record.refresh_id, record]));
  const endsAtMs = cli.nowMs() + timeoutSeconds * 1_000;
  const onProgress = (record: RefreshRecord): void => {
    latest.set(record.refresh_id, record);
    const { share, text, step } = refreshProgress([...latest.values()], cli.nowMs());
    printer.progress((columns) => progressBar(share, text, columns), step);
  };
  for (const { refresh_id, scope } of accepted) {
    const deadlineMs = Math.max(waitMinMs, endsAtMs - cli.nowMs());
    try {
      const options = { deadlineMs, signal: cli.signal, onProgress };
      const { record } = await client.waitForRefresh(refresh_id, options);
      await printer.result(record, recordText(record));
      if (record.revision_id === null) endWith(exitCodes.noInventory);
    } catch (error) {
      if (!(error instanceof InventoryError)) throw error;
      failures.push(error);
      endWith(fail(printer, error, scope));
    }
  }
}

function recordText({ scope, state, outcome, refresh_id, revision_id, billing }: RefreshRecord) {
  const isOfUnits = billing.funding === 'subscription';
  const charged = isOfUnits ? billing.units_charged : billing.credits_charged;
  const price = charged === null ? null : `${charged} ${isOfUnits ? 'units' : 'credits'}`;
  return cells(scopeText(scope), outcome ?? state, price, refresh_id, revision_id);
}
