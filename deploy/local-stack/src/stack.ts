import type { ServiceName } from '@inventory/contracts/topics';
import type { Supervision } from './supervision.ts';

/** One process of a stack. Whatever ends unasked is started again. */
export interface StackPart {
  /** `gateway`, `gateway-2`, `Kafka`, … */
  readonly label: string;
  /** Null while there is no process. */
  readonly pid: number | null;
  readonly phase: Supervision['phase'];
  /** Sends the signal; resolves when the process is gone. It is started again by itself. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Ends it, at once unless `gracefully`; it stays down until `bringUp`. */
  takeDown(how?: 'abruptly' | 'gracefully'): Promise<void>;
  /** Resolves when it answers. */
  bringUp(): Promise<void>;
  /** Stops it gracefully and starts it again; resolves when it answers. */
  restart(): Promise<void>;
  /** SIGSTOP: it keeps its sockets and does nothing. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Resolves when it answers. */
  untilUp(): Promise<void>;
}

export interface StackService extends StackPart {
  readonly service: ServiceName;
  /** Health, metrics and the internal API; of a gateway the operator API. */
  readonly url: string;
  /** The public API; null for all but gateways. */
  readonly publicUrl: string | null;
  readonly logFile: string;
}

/** A running local stack. */
export interface Stack {
  /** Of the first gateway. */
  readonly gatewayUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  /** Null where a platform's address was given. */
  readonly simulatorUrl: string | null;
  readonly kafkaBrokers: string;
  readonly mongodbUri: string;
  /** Which servers these are, in words. */
  readonly origin: { readonly kafka: string; readonly mongodb: string };
  readonly topicPrefix: string;
  /** Every replica of every service. */
  readonly services: readonly StackService[];
  /** Null where no simulator was started. */
  readonly simulator: StackPart | null;
  /** Null where it is not a native process of this stack. */
  readonly kafka: StackPart | null;
  readonly mongodb: StackPart | null;
  databaseOf(service: ServiceName): string;
  /** Ends every process that was started; a second call waits for the first, or hurries it. */
  stop(how?: 'gracefully' | 'abruptly'): Promise<void>;
}
