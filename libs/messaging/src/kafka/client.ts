import type { Logger } from '@inventory/runtime/logger';
import { Kafka, logLevel } from 'kafkajs';
import { clientLogs, explicitRetry, guardIdleLoop, lowLatencySockets } from './guards.ts';

export interface KafkaConnection {
  readonly brokers: readonly string[];
  /** Service name and instance: who the broker's operator sees. */
  readonly clientId: string;
  readonly logger: Logger;
}

/** A client with every guard applied. It opens no connection by itself. */
export function createKafkaClient(connection: KafkaConnection): Kafka {
  guardIdleLoop();
  return new Kafka({
    clientId: connection.clientId,
    brokers: [...connection.brokers],
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    retry: explicitRetry,
    socketFactory: lowLatencySockets,
    logLevel: logLevel.INFO,
    logCreator: clientLogs(connection.logger),
  });
}
