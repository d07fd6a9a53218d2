import type { ServiceName } from '@inventory/contracts/topics';
import { readAgainSince } from '@inventory/messaging/kafka/read-again';
import { isoTime } from '@inventory/runtime/clock';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';
import { SettingsError } from '@inventory/runtime/settings';

export const readAgainFlag = '--read-again-since';

export interface ReadAgainCommand {
  readonly service: ServiceName;
  readonly config: Pick<ServiceConfig, 'kafka'>;
  /** ISO 8601 with a zone, as given on the command line. */
  readonly time: string | undefined;
  readonly logger: Logger;
}

/** Has the service read again what was written since a time; all its replicas must be stopped. */
export async function readAgain(command: ReadAgainCommand): Promise<void> {
  const { service, config, time = '', logger } = command;
  const sinceMs = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(time)
    ? Date.parse(time)
    : Number.NaN;
  if (Number.isNaN(sinceMs)) {
    throw new SettingsError([`${readAgainFlag} needs a time such as 2026-11-21T10:00:00Z`]);
  }
  const { topicPrefix } = config.kafka;
  const moved = await readAgainSince({ ...config.kafka, service, topicPrefix, sinceMs, logger });
  logger.info({ since: isoTime(sinceMs), moved }, 'what was written since then is read again');
}
