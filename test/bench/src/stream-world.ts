import { projectId } from '@inventory/contracts/ids';
import type { Stack } from '@inventory/local-stack/stack';
import { createKafkaBus } from '@inventory/messaging/kafka/kafka-bus';
import { createOperatorClient } from '@inventory/operator-client/operator-client';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { createLogger } from '@inventory/runtime/logger';
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
  const operator = createOperatorClient({ url: stack.operatorUrl, token: stack.operatorToken });
  const { account_id } = await operator.call('createAccount', { name: 'benchmark' });
  await operator.call('setRateLimit', { account_id, limit_per_minute: 1_000_000 });
  await operator.call('switchEvents', { account_id, enabled: true });
  const projects: FollowedProject[] = [];
  const worker = async (): Promise<void> => {
    while (projects.length < count) {
      const { project_id } = await operator.call('createProject', { account_id });
      const scopes = ['customer.events.read.v1'] as const;
      const { secret } = await operator.call('issueCredential', { project_id, scopes });
      const path = `/v2/projects/${project_id}/events/stream`;
      projects.push({ projectId: projectId.parse(project_id), path, apiKey: secret });
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
