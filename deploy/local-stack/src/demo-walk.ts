import type { RefreshRecord } from '@inventory/contracts/http/refresh';
import type { Scope } from '@inventory/contracts/scope';
import { refreshReservationCredits } from '@inventory/contracts/vocabulary';
import { type FollowedRefresh, followRefresh, type StateChange } from './follow-refresh.ts';
import { type GatewayClient, inventoryPath } from './gateway-client.ts';
import { counted, grouped, type Screen } from './screen.ts';

export interface DemoWalkOptions {
  readonly gateway: GatewayClient;
  readonly scope: Scope;
  /** What the inventory is known as. */
  readonly name: string;
  readonly creditsAvailable: number;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

const patienceMs = 90_000;
const pagesShownMax = 3;
const bytesPerMegabyte = 1_000_000;

/** One refresh from its request to its pages and its bill. Resolves with its id. */
export async function walkDemo(options: DemoWalkOptions): Promise<string> {
  const { gateway, scope, name, screen, signal } = options;
  screen.heading(`One refresh, as a customer sees it (${name})`);
  screen.line(`  POST ${inventoryPath(scope)}/refresh`);
  const accepted = await gateway.requestRefresh(scope, refreshReservationCredits);
  const { refresh_id: refreshId, billing } = accepted.record;
  const reserved = counted(billing.credits_reserved, 'credit');
  screen.line(`       202  refresh ${refreshId}, ${reserved} reserved`);
  const followed = await followRefresh({
    accepted,
    read: (id) => gateway.readRefresh(id),
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
async function showPages({ gateway, scope, screen }: DemoWalkOptions): Promise<number> {
  screen.line(`  GET ${inventoryPath(scope)}/current`);
  let cursor: string | null = null;
  let remaining = 0;
  for (let number = 1; number <= pagesShownMax; number += 1) {
    const { page, meta, bytes } = await gateway.readCurrent(scope, cursor);
    const size = `${(bytes / bytesPerMegabyte).toFixed(2)} MB`;
    screen.line(
      `     page ${number}  ${counted(page.assets.length, 'asset')} of ${grouped(page.total_count)}, ${counted(page.descriptions.length, 'description')}, ${size}, ${counted(meta.credits_charged, 'credit')}`,
    );
    remaining = meta.credits_remaining;
    cursor = page.pagination.next_cursor;
    if (cursor === null) break;
  }
  return remaining;
}
