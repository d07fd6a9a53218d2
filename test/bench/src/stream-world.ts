import { randomUUID } from 'node:crypto';
import type { Stack } from '@inventory/local-stack/stack';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
import { request } from 'undici';
import { startYardstick } from './yardsticks/start-yardstick.ts';
import type { ReaderReport, StreamTarget } from './yardsticks/stream-readers.ts';

/** Clients of streams in a process of their own. */
export interface Readers {
  open(port: number, targets: readonly StreamTarget[], resume?: boolean): Promise<void>;
  mark(): Promise<void>;
  report(): Promise<ReaderReport>;
  stall(count: number): Promise<void>;
  cut(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReaders(): Promise<Readers> {
  const yardstick = await startYardstick('stream-readers', []);
  return {
    async open(port, targets, resume = false) {
      const answer = await yardstick.ask<string>({ do: 'open', port, targets, resume });
      if (answer !== 'opened') throw new Error(answer);
    },
    mark: () => yardstick.ask({ do: 'mark' }),
    report: () => yardstick.ask<ReaderReport>({ do: 'report' }),
    stall: (count) => yardstick.ask({ do: 'stall', count }),
    cut: () => yardstick.ask({ do: 'cut' }),
    stop: () => yardstick.stop(),
  };
}

export interface FollowedProject extends StreamTarget {
  readonly projectId: `prj_${string}`;
}

const createdAtOnce = 24;

/** Projects with a Credential each that may read their events. */
export async function createProjects(stack: Stack, count: number): Promise<FollowedProject[]> {
  const operate = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const answer = await request(new URL(`/operator/v1${path}`, stack.operatorUrl), {
      method,
      headers: {
        authorization: `Bearer ${stack.operatorToken}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text) as Record<string, string>;
  };
  const account = await operate('POST', '/accounts', { name: 'benchmark' });
  const accountId = account['account_id'];
  await operate('PUT', `/accounts/${accountId}/rate-limit`, { limit_per_minute: 1_000_000 });
  await operate('PUT', `/accounts/${accountId}/events`, { enabled: true });
  const projects: FollowedProject[] = [];
  const worker = async (): Promise<void> => {
    while (projects.length < count) {
      const project = await operate('POST', `/accounts/${accountId}/projects`, {});
      const projectId = project['project_id'] as `prj_${string}`;
      const credential = await operate('POST', `/projects/${projectId}/credentials`, {
        scopes: ['customer.events.read.v1'],
      });
      const path = `/v2/projects/${projectId}/events/stream`;
      projects.push({ projectId, path, apiKey: credential['secret'] ?? '' });
    }
  };
  await Promise.all(Array.from({ length: Math.min(createdAtOnce, count) }, worker));
  return projects.slice(0, count);
}

/** Announces events as the event-stream does, each Project's in order. */
export async function openAnnouncer(stack: Stack, topicPrefix: string) {
  const bus = await createKafkaBus({
    brokers: stack.kafkaBrokers.split(','),
    topicPrefix,
    service: 'bench',
    logger: createLogger({ service: 'bench', level: 'silent' }),
    identifiers: systemIdentifiers,
  });
  const positions = new Map<string, number>();
  return {
    announce(projectIds: readonly `prj_${string}`[]): Promise<void> {
      return bus.publish(
        projectIds.map((projectId) => {
          const position = (positions.get(projectId) ?? 0) + 1;
          positions.set(projectId, position);
          return appended(projectId, position);
        }),
      );
    },
    close: () => bus.close(),
  };
}

function appended(projectId: `prj_${string}`, position: number) {
  const refreshId = systemIdentifiers.uuidV7();
  return {
    type: 'project.event-appended.v1',
    id: `evt_${refreshId}`,
    body: {
      project_id: projectId,
      position,
      log_epoch: 1,
      event: {
        id: `evt_${refreshId}`,
        version: 1,
        type: 'inventory.refresh.completed',
        occurred_at: new Date().toISOString(),
        project_id: projectId,
        data: { refresh_id: refreshId, state: 'completed', outcome: 'complete_changed' },
        links: { refresh: `/v2/platform/inventory-refreshes/${refreshId}` },
      },
    },
  } as const;
}
