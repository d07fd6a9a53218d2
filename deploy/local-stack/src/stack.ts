import type { ManagedProcess } from '@inventory/backends/managed-process';
import type { ServiceName } from '@inventory/contracts/topics';

/** One replica of a service. Its name is `gateway`, from the second replica on `gateway-2`. */
export type StackService = ManagedProcess &
  ServiceUrls & {
    /** What its next process has: the running one has read it. */
    readonly environment: Record<string, string | undefined>;
    /** Its next process is compiled from this checkout. */
    runFrom(root: string): void;
  };

export interface ServiceUrls {
  readonly service: ServiceName;
  /** Health, metrics and the internal API. */
  readonly url: string;
  /** The public API; null for all but gateways. */
  readonly publicUrl: string | null;
  /** The operator API; null for all but gateways. */
  readonly operatorUrl: string | null;
}

/** A running local stack. */
export interface Stack {
  /** Of the first gateway. */
  readonly gatewayUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** Null where a platform's address is given. */
  readonly simulatorUrl: string | null;
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  /** For the screen: which servers these are. */
  readonly origin: { readonly kafka: string; readonly mongodb: string };
  readonly topicPrefix: string;
  /** Every replica of every service. */
  readonly services: readonly StackService[];
  /** Null where no simulator was started. */
  readonly simulator: ManagedProcess | null;
  /** Null where it is not a native process of this stack. */
  readonly kafka: ManagedProcess | null;
  readonly mongodb: ManagedProcess | null;
  databaseOf(service: ServiceName): string;
  /** Ends every process that was started. A second call waits for the first. */
  stop(): Promise<void>;
}
