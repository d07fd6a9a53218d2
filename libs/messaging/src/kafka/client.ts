import type { Logger } from '@inventory/runtime/logger';
import { Kafka, logLevel, type RetryOptions } from 'kafkajs';
import { clientLogs, explicitRetry, guardIdleLoop, lowLatencySockets } from './guards.ts';

export interface KafkaConnection {
  readonly brokers: readonly string[];
  /** Service name and instance: who the broker's operator sees. */
  readonly clientId: string;
  readonly logger: Logger;
}

export interface KafkaClientOptions {
  /** How long a broker that answers is looked for. */
  readonly retry?: RetryOptions;
  readonly onConnecting?: () => void;
  /** Ends every search for a broker, which the client itself would go on with after its close. */
  readonly stopping?: AbortSignal;
}

/** A client with every guard applied. It opens no connection by itself. */
export function createKafkaClient(
  connection: KafkaConnection,
  options: KafkaClientOptions = {},
): Kafka {
  guardIdleLoop();
  return new Kafka({
    clientId: connection.clientId,
    // Asked again before each further attempt; with nobody left to try the client gives up.
    brokers: () => (options.stopping?.aborted ? [] : [...connection.brokers]),
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    retry: options.retry ?? explicitRetry,
    socketFactory: lowLatencySockets(options.onConnecting),
    logLevel: logLevel.INFO,
    logCreator: clientLogs(connection.logger),
  });
}
