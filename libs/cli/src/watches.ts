import type { Watch } from '@inventory/client/records';
import {
  type CallFlags,
  cells,
  type InventoryFlags,
  inventoryScope,
  projectOf,
  type Session,
  scopeText,
} from './session.ts';

export interface PutFlags extends InventoryFlags {
  readonly every: number;
  readonly maxCreditsPerDay?: number;
  readonly dryRun?: boolean;
}

export interface ListFlags extends CallFlags {
  readonly state?: 'active' | 'paused';
}

export interface RunsFlags extends InventoryFlags {
  readonly charged?: boolean;
}

export async function putWatches(
  session: Session,
  options: PutFlags,
  platformIds: readonly string[],
): Promise<void> {
  const { client, printer, call } = session;
  const { every: everySeconds, language, maxCreditsPerDay, dryRun } = options;
  const project = await projectOf(session);
  for (const platformId of platformIds) {
    const wanted = { ...call, everySeconds, language, maxCreditsPerDay, dryRun };
    const watch = await client.watch(project, inventoryScope(platformId, options), wanted);
    await printer.result(watch, watchText(watch));
  }
}

export async function listWatches(session: Session, { state }: ListFlags): Promise<void> {
  const { client, printer, call } = session;
  for await (const watch of client.watches(await projectOf(session), { ...call, state })) {
    await printer.result(watch, watchText(watch));
  }
}

export async function listRuns(
  session: Session,
  options: RunsFlags,
  [platformId = '']: readonly string[],
): Promise<void> {
  const { client, printer, call } = session;
  const project = await projectOf(session);
  const scope = inventoryScope(platformId, options);
  const { charged } = options;
  for await (const run of client.watchRuns(project, scope, { ...call, charged })) {
    const { at, outcome, refresh_id, credits_charged, units_charged, deliveries } = run;
    const price =
      credits_charged === null ? null : `${credits_charged} credits, ${units_charged} units`;
    const sent = deliveries.map((one) => `${one.endpoint_id} ${one.state}`).join(', ');
    await printer.result(run, cells(at, outcome ?? 'open', price, refresh_id, sent));
  }
}

export async function deleteWatch(
  session: Session,
  options: InventoryFlags,
  [platformId = '']: readonly string[],
): Promise<void> {
  const scope = inventoryScope(platformId, options);
  await session.client.deleteWatch(await projectOf(session), scope, session.call);
  await session.printer.result({ scope, deleted: true }, `${scopeText(scope)}  deleted`);
}

function watchText(watch: Watch): string {
  return cells(
    scopeText(watch.scope),
    watch.paused_reason === null ? watch.state : `${watch.state}: ${watch.paused_reason}`,
    `every ${watch.every_seconds} s`,
    watch.next_refresh_at && `next ${watch.next_refresh_at}`,
    watch.last_outcome && `last ${watch.last_outcome}`,
    `about ${watch.expected_credits_per_month} a month, at most ${watch.maximum_credits_per_month}`,
  );
}
