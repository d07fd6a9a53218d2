import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { waitFor } from '@inventory/testkit/wait-for';
import type { StoreUnderTest } from './store-under-test.ts';

const root = join(__dirname, '../../../..');

/** The service in a process of its own, as it is run in earnest. */
export interface StoreProcess {
  readonly url: string;
  readonly pid: number;
  /** Most memory it ever held, in bytes. */
  peakRss(): number;
  kill(): Promise<void>;
}

/** Compiles what is run; nothing to do when it is up to date. */
export function buildStore(): void {
  const tsc = join(root, 'node_modules/.bin/tsc');
  const built = spawnSync(tsc, ['-b', 'services/revision-store'], { cwd: root });
  if (built.status !== 0) throw new Error(String(built.stdout));
}

export async function startStoreProcess(
  store: StoreUnderTest,
  settings: Readonly<Record<string, string>> = {},
): Promise<StoreProcess> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [join(root, 'services/revision-store/dist/main.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      KAFKA_BROKERS: store.namespace.kafkaBrokers.join(','),
      KAFKA_TOPIC_PREFIX: store.namespace.topicPrefix,
      MONGODB_URI: store.config.mongodb.uri,
      MONGODB_DATABASE: store.config.mongodb.database,
      HTTP_PORT: String(port),
      LOG_LEVEL: 'warn',
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  // After a kill the consumer group waits for the dead member's session to end.
  const ready = async () => (await fetch(`${url}/readyz`)).ok;
  await waitFor('the service is ready', ready).catch(async (error) => {
    await kill(child);
    throw error;
  });
  return { url, pid: child.pid ?? 0, peakRss: () => peakRss(child), kill: () => kill(child) };
}

function peakRss(child: ChildProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+([0-9]+) kB/.exec(status)?.[1]) * 1024;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
