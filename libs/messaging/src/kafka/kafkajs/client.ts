import type { SaslCredentials } from '@inventory/runtime/kafka-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import { Kafka, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs';
import { timingOf } from '../timing.ts';
import type { KafkaConnection } from '../wire-client.ts';
import {
  clientLogs,
  explicitRetry,
  guardIdleTimers,
  guardJoins,
  guardSeeks,
  lowLatencySockets,
} from './guards.ts';

export interface KafkaClientOptions {
  /** How long a reachable broker is searched for. */
  readonly retry?: RetryOptions;
  readonly onConnecting?: () => void;
  /** Ends every search for a broker, which the client itself would continue after its close. */
  readonly stopping?: AbortSignal;
}

/** A client with every workaround applied. It opens no connection by itself. */
export function createKafkaClient(
  connection: KafkaConnection,
  options: KafkaClientOptions = {},
): Kafka {
  guardIdleTimers();
  guardJoins();
  guardSeeks();
  const { tls, sasl } = connection;
  const { requestTimeoutMs } = timingOf(connection.timing);
  return new Kafka({
    clientId: connection.clientId,
    // Called before each attempt; without brokers the client stops.
    brokers: () => (options.stopping?.aborted ? [] : [...connection.brokers]),
    ...(tls ? { ssl: tlsConnectOptions(tls) } : {}),
    ...(sasl ? { sasl: saslOptions(sasl) } : {}),
    connectionTimeout: 0.3 * requestTimeoutMs,
    authenticationTimeout: 0.5 * requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    enforceRequestTimeout: true,
    retry: options.retry ?? explicitRetry,
    socketFactory: lowLatencySockets(options.onConnecting),
    logLevel: logLevel.INFO,
    logCreator: clientLogs(connection.logger),
  });
}

function saslOptions({ mechanism, username, password }: SaslCredentials): SASLOptions {
  switch (mechanism) {
    case 'SCRAM-SHA-256':
      return { mechanism: 'scram-sha-256', username, password };
    case 'SCRAM-SHA-512':
      return { mechanism: 'scram-sha-512', username, password };
    case 'PLAIN':
      return { mechanism: 'plain', username, password };
  }
}
