import type { MessageBus } from '@inventory/messaging/bus';
import { type Clock, systemClock } from '@inventory/runtime/clock';
import { systemIdentifiers } from '@inventory/runtime/identifiers';
import { openLifetime } from '@inventory/runtime/lifetime';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import type { ServiceContext } from '@inventory/service-host/service-context';
import { patientTiming, type TestNamespace, testLogger, undisturbedUri } from './namespace.ts';

/** Ends a hanging stop; no slow one takes as long. */
const stopDeadlineMs = 300_000;

/** The common part of a service's configuration in a namespace, with any free port. */
export function testServiceConfig(namespace: TestNamespace, database: string): ServiceConfig {
  return {
    kafka: {
      brokers: namespace.kafkaBrokers,
      topicPrefix: namespace.topicPrefix,
      timing: patientTiming,
    },
    mongodb: {
      uri: undisturbedUri(namespace.mongodbUri),
      database: namespace.database(database),
    },
    http: { host: '127.0.0.1', port: 0 },
    serviceToken: undefined,
    serviceCallers: [],
    logLevel: 'silent',
    environment: 'live',
    stopDeadlineMs,
  };
}

export interface TestServiceOptions<Config extends ServiceConfig, Started> {
  readonly config: Config;
  readonly start: (context: ServiceContext<Config>) => Promise<Started>;
  readonly clock?: Clock;
  readonly bus?: MessageBus;
}

/** Starts a service in the test's process, as its main does. */
export async function startTestService<Config extends ServiceConfig, Started>(
  options: TestServiceOptions<Config, Started>,
): Promise<Started & { stop(): Promise<void> }> {
  const lifetime = openLifetime(testLogger, options.config.stopDeadlineMs);
  const started = await options.start({
    config: options.config,
    lifetime,
    logger: testLogger,
    clock: options.clock ?? systemClock,
    identifiers: systemIdentifiers,
    ...(options.bus ? { bus: options.bus } : {}),
  });
  return { ...started, stop: () => lifetime.close() };
}
