import type { MessageBus } from '@inventory/messaging/bus';
import type { Clock } from '@inventory/runtime/clock';
import type { Identifiers } from '@inventory/runtime/identifiers';
import type { Lifetime } from '@inventory/runtime/lifetime';
import type { Logger } from '@inventory/runtime/logger';
import type { ServiceConfig } from '@inventory/runtime/service-settings';

/** A service's configuration, and what it takes from its process. */
export interface ServiceContext<Config extends ServiceConfig = ServiceConfig> {
  readonly config: Config;
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
  /** Replaces Kafka; for simulations. */
  readonly bus?: MessageBus;
  /** The start ends with IndexesReady once the indexes exist; no message is consumed. */
  readonly indexesOnly?: boolean;
}

/** The addresses of a started service. */
export interface StartedService {
  /** Address of the internal HTTP server. */
  readonly url: string;
}
