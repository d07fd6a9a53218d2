import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';

/** What a service is started with: its configuration and everything it takes from its process. */
export interface ServiceContext<Config extends ServiceConfig = ServiceConfig> {
  readonly config: Config;
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Instead of Kafka; for simulations. */
  readonly bus?: MessageBus;
  /** The start ends with IndexesReady once the indexes are there: no message is read. */
  readonly indexesOnly?: boolean;
}

/** What a started service tells whoever started it. */
export interface StartedService {
  /** Address of the internal HTTP server. */
  readonly url: string;
}
