import type { InventoryClient } from '@inventory/client/inventory-client';
import type { RefreshRecord } from '@inventory/client/records';
import type { InventoryKey } from '@inventory/contracts/inventory-key';
import { monotonicNow } from '@inventory/runtime/clock';
import { inventoryPath } from './inventory-path.ts';
import {
  listenForRefreshes,
  type ReceivedEvent,
  type RefreshListener,
} from './refresh-listener.ts';
import { counted, grouped, type Screen } from './screen.ts';

export interface DemoWalkOptions {
  readonly client: InventoryClient;
  readonly projectId: string;
  readonly scope: InventoryKey;
  /** Name of the inventory, for the screen. */
  readonly name: string;
  readonly creditsAvailable: number;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

const openTimeoutMs = 15_000;
const completionTimeoutMs = 90_000;
const pagesShownMax = 3;

/**
 * Shows one refresh from its request to its pages and its bill. Its completion comes from the
 * Project's event stream. Resolves with its id.
 */
export async function walkDemo(options: DemoWalkOptions): Promise<string> {
  const { client, projectId, screen, signal } = options;
  screen.heading(`One refresh, as a customer sees it (${options.name})`);
  screen.line(`  GET /v2/projects/${projectId}/events/stream`);
  const listener = listenForRefreshes(client, projectId, signal);
  try {
    await listener.opened(openTimeoutMs);
    screen.line('       200  checkpoint: the stream reports every refresh that ends from now on');
    return await showRefresh(options, listener);
  } finally {
    await listener.stop();
  }
}

async function showRefresh(options: DemoWalkOptions, listener: RefreshListener): Promise<string> {
  const { client, scope, screen, signal } = options;
  screen.line(`  POST ${inventoryPath(scope)}/refresh`);
  const { record: accepted } = await client.refresh(scope, { signal });
  const { refresh_id: refreshId, state, billing } = accepted;
  const startMs = monotonicNow();
  const reserved = counted(billing.credits_reserved, 'credit');
  screen.line(`       202  ${state}, ${reserved} reserved, refresh ${refreshId}`);
  const completed = await listener.completionOf(refreshId, completionTimeoutMs);
  if (completed === null) {
    screen.line(`       It is still running: its Status reports the progress.`);
    return refreshId;
  }
  showFrame(completed, monotonicNow() - startMs, screen);
  screen.line(`  GET ${completed.event.links.refresh}`);
  const { record } = await client.waitForRefresh(refreshId, { signal });
  screen.line(`       200  ${record.state}, ${record.outcome}`);
  screen.line(`  Bill      ${bill(record)}`);
  if (record.revision_id === null) return refreshId;
  const remaining = await showPages(options);
  const spent = options.creditsAvailable - remaining;
  screen.line(
    `  Balance   ${grouped(options.creditsAvailable)} before, ${grouped(remaining)} now: ${counted(spent, 'credit')} spent`,
  );
  return refreshId;
}

/** As the stream sent it. */
function showFrame({ event, cursor }: ReceivedEvent, afterMs: number, screen: Screen): void {
  const at = `${(afterMs / 1_000).toFixed(1)} s`.padStart(10);
  screen.line(`${at}  event: ${event.type}`);
  screen.line(`            id: ${cursor}`);
  screen.line(`            data: ${JSON.stringify(event)}`);
}

function bill({ billing }: RefreshRecord): string {
  const { credits_reserved, credits_charged, credits_released, disposition } = billing;
  return `${credits_reserved} reserved = ${credits_charged} charged + ${credits_released} released (${disposition})`;
}

/** The first pages of the saved inventory; resolves with the credits that remain. */
async function showPages({ client, scope, screen, signal }: DemoWalkOptions): Promise<number> {
  screen.line(`  GET ${inventoryPath(scope)}/current`);
  let number = 0;
  let remaining = 0;
  for await (const { page, meta } of client.currentPages(scope, { signal })) {
    number += 1;
    screen.line(
      `     page ${number}  ${counted(page.assets.length, 'asset')} of ${grouped(page.total_count)}, ${counted(page.descriptions.length, 'description')}, ${counted(meta.credits_charged ?? 0, 'credit')}`,
    );
    remaining = meta.credits_remaining ?? 0;
    if (number === pagesShownMax) break;
  }
  return remaining;
}
