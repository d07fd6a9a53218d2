import type { InventoryClient } from '@inventory/client/inventory-client';
import type { RefreshRecord } from '@inventory/client/records';
import type { Scope } from '@inventory/contracts/scope';
import { type FollowedRefresh, followRefresh, type StateChange } from './follow-refresh.ts';
import { inventoryPath } from './inventory-path.ts';
import { counted, grouped, type Screen } from './screen.ts';

export interface DemoWalkOptions {
  readonly client: InventoryClient;
  readonly scope: Scope;
  /** What the inventory is known as. */
  readonly name: string;
  readonly creditsAvailable: number;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

const patienceMs = 90_000;
const pagesShownMax = 3;

/** One refresh from its request to its pages and its bill. Resolves with its id. */
export async function walkDemo(options: DemoWalkOptions): Promise<string> {
  const { client, scope, name, screen, signal } = options;
  screen.heading(`One refresh, as a customer sees it (${name})`);
  screen.line(`  POST ${inventoryPath(scope)}/refresh`);
  const accepted = await client.refresh(scope, { signal });
  const { refresh_id: refreshId, billing } = accepted.record;
  const reserved = counted(billing.credits_reserved, 'credit');
  screen.line(`       202  refresh ${refreshId}, ${reserved} reserved`);
  const followed = await followRefresh({
    accepted,
    read: (id) => client.status(id, { signal }),
    onChange: (change) => screen.line(stateLine(change)),
    patienceMs,
    signal,
  });
  if (followed === null) {
    screen.line(`       It goes on: it is too long to wait for here. Its Status tells more.`);
    return refreshId;
  }
  showBill(followed, screen);
  if (followed.record.revision_id === null) return refreshId;
  const remaining = await showPages(options);
  const spent = options.creditsAvailable - remaining;
  screen.line(
    `  Balance   ${grouped(options.creditsAvailable)} before, ${grouped(remaining)} now: ${counted(spent, 'credit')} spent`,
  );
  return refreshId;
}

function stateLine({ record, atMs, retryAfterSeconds }: StateChange): string {
  const at = `${(atMs / 1_000).toFixed(1)} s`.padStart(10);
  const again = retryAfterSeconds === null ? '' : `Retry-After: ${retryAfterSeconds}`;
  const shown = record.outcome ?? `billing ${record.billing_state}`;
  return `${at}  ${record.state.padEnd(11)} ${shown.padEnd(18)} ${again}`.trimEnd();
}

function showBill({ record, patientClient }: FollowedRefresh, screen: Screen): void {
  const { reads, knowsAfterMs } = patientClient;
  const knows = (knowsAfterMs / 1_000).toFixed(1);
  screen.line(
    `       Reading only when Retry-After says so: ${counted(reads, 'read')}, known after ${knows} s.`,
  );
  screen.line(`  Bill      ${bill(record)}`);
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
