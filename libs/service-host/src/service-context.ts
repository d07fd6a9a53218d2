import type { MessageBus } from '@inventory/messaging/bus';
import type { ProcessContext } from '@inventory/runtime/process-context';
import type { ServiceConfig } from '@inventory/runtime/service-settings';

/** A service's configuration, and what it takes from its process. */
export interface ServiceContext<Config extends ServiceConfig = ServiceConfig>
  extends ProcessContext {
  readonly config: Config;
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
