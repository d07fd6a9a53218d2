import net from 'node:net';
import type { SaslCredentials } from '@inventory/runtime/kafka-access';
import { tlsConnectOptions } from '@inventory/runtime/tls-identity';
import {
  type BaseOptions,
  type Connection,
  findErrorBy,
  instancesChannel,
} from '@platformatic/kafka';
import { timingOf } from '../timing.ts';
import type { KafkaConnection } from '../wire-client.ts';

/**
 * Options of every client of the library. It repeats nothing by itself: its own retries use the
 * metadata of the failed attempt, and a failed commit would rejoin and commit again.
 */
export function clientOptions(connection: KafkaConnection) {
  guardConnections();
  const { brokers, clientId, tls, sasl } = connection;
  const { requestTimeoutMs } = timingOf(connection);
  return {
    clientId,
    bootstrapBrokers: [...brokers],
    connectTimeout: 0.3 * requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    timeout: requestTimeoutMs,
    retries: 0,
    context: {} as ConnectionContext,
    metadataMaxAge: 60_000,
    autocreateTopics: false,
    ...(tls ? { tls: tlsConnectOptions(tls), tlsServerName: brokers.every(hasName) } : {}),
    ...(sasl ? { sasl: { ...sasl } satisfies SaslCredentials } : {}),
  } satisfies BaseOptions;
}

/** Proxies in front of several brokers route by the server name; an address is none. */
function hasName(broker: string): boolean {
  return net.isIP(broker.slice(0, broker.lastIndexOf(':')).replace(/^\[|\]$/g, '')) === 0;
}

/** What the connections of one client share. */
interface ConnectionContext {
  /** Of a connection, since the last that was opened. */
  lastFailure?: Error | undefined;
}

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  return isOfTheLibrary(error) && !has(error, 'canRetry', false);
}

function isOfTheLibrary(error: unknown): error is Error {
  const { code } = error instanceof Error ? (error as { readonly code?: unknown }) : {};
  return String(code).startsWith('PLT_KFK_');
}

/** Whether the error, or one that it consists of, has the property. */
export function has(error: unknown, property: string, value: unknown): boolean {
  return error instanceof Error && findErrorBy(error, property, value) !== null;
}

/**
 * An error of the library that says why: it keeps a refused login or certificate in a cause, or
 * reports it on the connection only. Metrics tell errors apart by their names, which the library's lack.
 */
export function explained(error: unknown, { lastFailure }: ConnectionContext): unknown {
  if (!isOfTheLibrary(error)) return error;
  const messages = new Set([...messagesOf(error), ...(lastFailure ? messagesOf(lastFailure) : [])]);
  const explanation = new Error([...messages].join(' '), { cause: error });
  explanation.name = error.constructor.name;
  return explanation;
}

function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return error === undefined ? [] : [String(error)];
  const nested: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error.message, ...[...nested, error.cause].flatMap(messagesOf)];
}

let guarded = false;

/**
 * A connection reports each of its errors as an event, and the library listens to the first one
 * only: the second (a reset after a refused login) would end the process. Dead peers are detected.
 */
function guardConnections(): void {
  if (guarded) return;
  guarded = true;
  instancesChannel.subscribe((created) => {
    const { type, instance } = created as { readonly type: string; readonly instance: unknown };
    if (type !== 'connection') return;
    const connection = instance as Connection;
    const shared = (connection.context ?? {}) as ConnectionContext;
    connection.on('error', (error) => {
      shared.lastFailure = error;
    });
    connection.on('connect', () => {
      shared.lastFailure = undefined;
      connection.socket.setKeepAlive(true, 60_000);
    });
  });
}
