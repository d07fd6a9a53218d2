import type { ServiceName } from '@inventory/contracts/topics';
import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { SettingsError } from '@inventory/runtime/settings';

export const rewindFlag = '--rewind-consumers-to';

export interface RewindCommand {
  readonly service: ServiceName;
  readonly config: Pick<ServiceConfig, 'kafka'>;
  /** ISO 8601 with a zone, as given on the command line. */
  readonly time: string | undefined;
  readonly logger: Logger;
}

/** Rewinds the service's consumer groups to a time; all its replicas must be stopped. */
export async function runRewind(command: RewindCommand): Promise<void> {
  const { service, config, time = '', logger } = command;
  const toMs = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(toMs)) {
    throw new SettingsError([`${rewindFlag} needs a time such as 2026-11-21T10:00:00Z`]);
  }
  const { topicPrefix } = config.kafka;
  const { rewindConsumers } = await import('@inventory/messaging/kafka/rewind-consumers');
  const rewound = await rewindConsumers({ ...config.kafka, service, topicPrefix, toMs, logger });
  logger.info({ to: isoTime(toMs), rewound }, 'consumers rewound');
}
