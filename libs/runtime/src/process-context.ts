import type { Clock } from './clock.ts';
import type { Identifiers } from './identifiers.ts';
import type { Lifetime } from './lifetime.ts';
import type { Logger } from './logger.ts';

/** What a service takes from its process. */
export interface ProcessContext {
  readonly lifetime: Lifetime;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly identifiers: Identifiers;
}
