import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { spawnOwned } from '@inventory/backends/owned-process';
import type { Stack } from '@inventory/local-stack/stack';
import { waitFor } from '@inventory/testkit/wait-for';
import { stringify } from 'yaml';
import type { PrometheusPrograms } from '../../support/provide-prometheus.ts';
import { machineEnvironment } from '../../support/start-command.ts';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A Prometheus that scrapes every service of a stack each second and evaluates the rules. */
export interface PrometheusServer {
  /** What a query gives at this moment; rejects when Prometheus does not understand it. */
  query(expr: string): Promise<readonly Sample[]>;
  /** Its other answers, by path below /api/v1. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
  get(path: string): Promise<any>;
  close(): Promise<void>;
}

const stopMs = 10_000;

export async function startPrometheus(
  { prometheus }: PrometheusPrograms,
  stack: Stack,
  ruleFiles: readonly string[],
): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const address = `127.0.0.1:${await findFreePort()}`;
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'prometheus.yaml'), stringify(configOf(stack, ruleFiles)));
  const running = await spawnOwned({
    command: prometheus,
    args: [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    spawn: { cwd: folder, env: machineEnvironment(), stdio: ['ignore', 'ignore', 'inherit'] },
    removeAfterDeath: folder,
  });
  async function get(path: string) {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const body = (await response.json()) as { status: string; error?: string; data: unknown };
    if (body.status !== 'success') throw new Error(`${path}: ${body.error}`);
    // biome-ignore lint/suspicious/noExplicitAny: tests read any member.
    return body.data as any;
  }
  const server: PrometheusServer = {
    get,
    async query(expr) {
      const { result } = await get(`query?query=${encodeURIComponent(expr)}`);
      return (result as { metric: Sample['metric']; value: [number, string] }[]).map(
        ({ metric, value: [, text] }) => ({ metric, value: Number(text) }),
      );
    },
    async close() {
      running.signal('SIGTERM');
      if (!(await running.untilEnd(stopMs))) running.signal('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await waitFor('Prometheus is ready', async () => {
    if (running.hasEnded()) throw new Error('Prometheus ended');
    return (await fetch(`http://${address}/-/ready`)).ok;
  });
  return server;
}

function configOf(stack: Stack, ruleFiles: readonly string[]) {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: [
      {
        job_name: 'services',
        static_configs: stack.services.map(({ service, name, url }) => ({
          targets: [new URL(url).host],
          labels: { service, instance: name },
        })),
      },
    ],
  };
}
