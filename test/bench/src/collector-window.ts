import type { ServiceName } from '@inventory/contracts/topics';
import type { Stack } from '@inventory/local-stack/stack';
import { connectMongo } from '@inventory/mongo/connect';
import { createLogger } from '@inventory/runtime/logger';
import { pause } from '@inventory/runtime/wait';
import { cpuMs } from './process-usage.ts';
import type { FinishedRefresh, RefreshLoad } from './refresh-load.ts';

/** What a number of collectors did in a while. */
export interface CollectorWindow {
  readonly collectors: number;
  readonly perSecond: number;
  /** Of the collector that scanned least, of all refreshes; 0 when one scanned none. */
  readonly leastShare: number;
  /** CPU time for each refresh, by service, its replicas taken together. */
  readonly cpuPerRefreshMs: ReadonlyMap<string, number>;
}

export async function measureWindow(
  stack: Stack,
  load: RefreshLoad,
  { collectors, lengthMs }: { readonly collectors: number; readonly lengthMs: number },
): Promise<CollectorWindow> {
  const cpuBefore = cpuByService(stack);
  const startMs = performance.now();
  await pause(lengthMs);
  const endMs = performance.now();
  const cpuAfter = cpuByService(stack);
  const within = load.finished.filter(({ atMs }) => atMs >= startMs && atMs < endMs);
  const scans = await scansByCollector(stack, within);
  const cpuPerRefreshMs = [...cpuAfter].map(([service, ms]): [string, number] => [
    service,
    (ms - (cpuBefore.get(service) ?? 0)) / within.length,
  ]);
  return {
    collectors,
    perSecond: (within.length / (endMs - startMs)) * 1_000,
    leastShare: scans.length < collectors ? 0 : Math.min(...scans) / within.length,
    cpuPerRefreshMs: new Map(cpuPerRefreshMs),
  };
}

/** Part of one core that a replica uses which has nothing to do, by service. */
export async function measureIdleCpu(
  stack: Stack,
  lengthMs: number,
): Promise<ReadonlyMap<string, number>> {
  const before = cpuByService(stack);
  const startMs = performance.now();
  await pause(lengthMs);
  const tookMs = performance.now() - startMs;
  const replicas = Map.groupBy(stack.services, ({ service }) => service);
  const share = (service: ServiceName, ms: number) =>
    (ms - (before.get(service) ?? 0)) / tookMs / (replicas.get(service)?.length ?? 1);
  return new Map([...cpuByService(stack)].map(([service, ms]) => [service, share(service, ms)]));
}

function cpuByService(stack: Stack): Map<ServiceName, number> {
  const used = new Map<ServiceName, number>();
  for (const { service, pid } of stack.services) {
    if (pid !== null) used.set(service, (used.get(service) ?? 0) + cpuMs(pid));
  }
  return used;
}

/** How many of these each collector ended, by its name in their scans. */
async function scansByCollector(
  stack: Stack,
  refreshes: readonly FinishedRefresh[],
): Promise<number[]> {
  const { db, close } = await connectMongo({
    uri: stack.mongodbUri,
    database: stack.databaseOf('refresh-collector'),
    service: 'bench',
    logger: createLogger({ service: 'bench', level: 'silent' }),
  });
  try {
    const found = await db
      .collection<{ _id: string; scan: { worker: string } }>('refreshes')
      .find({ _id: { $in: refreshes.map(({ id }) => id) } }, { projection: { 'scan.worker': 1 } })
      .toArray();
    return [...Map.groupBy(found, ({ scan }) => scan.worker).values()].map(({ length }) => length);
  } finally {
    await close();
  }
}
