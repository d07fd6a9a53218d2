import { z } from 'zod';
import { secretFile } from './file-settings.ts';
import { flag, integer, list, needing, type Parsed, text } from './settings.ts';
import { type TlsIdentity, tlsFiles, tlsIdentity } from './tls-identity.ts';

export const saslMechanisms = ['SCRAM-SHA-256', 'SCRAM-SHA-512', 'PLAIN'] as const;

const files = tlsFiles('KAFKA_TLS', "the brokers'");

/** Addresses, TLS and login of a Kafka cluster, for every program that connects to one. */
export const kafkaSettings = {
  KAFKA_BROKERS: list().describe('Kafka bootstrap addresses, comma-separated host:port'),
  KAFKA_TLS: flag().default(false).describe('Whether connections to Kafka are encrypted'),
  KAFKA_TLS_CA_FILE: files.authorities,
  KAFKA_TLS_CERT_FILE: files.certificate,
  KAFKA_TLS_KEY_FILE: files.privateKey,
  KAFKA_TIMEOUT_MS: integer(1_000, 600_000)
    .prefault('10000')
    .describe('Timeout of a request to a broker'),
  KAFKA_SESSION_TIMEOUT_MS: integer(6_000, 600_000)
    .prefault('15000')
    .describe(
      'Time without a heartbeat after which a consumer is considered dead and its partitions are reassigned',
    ),
  KAFKA_SASL_MECHANISM: needing(
    z
      .enum(saslMechanisms)
      .optional()
      .describe('SASL mechanism of the login to Kafka; no login when absent. PLAIN only over TLS'),
    (mechanism) => [
      'KAFKA_SASL_USERNAME',
      'KAFKA_SASL_PASSWORD_FILE',
      // It sends the password in plain text.
      ...(mechanism === 'PLAIN' ? ['KAFKA_TLS'] : []),
    ],
  ),
  KAFKA_SASL_USERNAME: needing(text().optional().describe('User name of the login to Kafka'), [
    'KAFKA_SASL_MECHANISM',
  ]),
  KAFKA_SASL_PASSWORD_FILE: needing(
    secretFile()
      .optional()
      .describe('File with the password of the login to Kafka as its only line'),
    ['KAFKA_SASL_MECHANISM'],
  ),
} as const;

export interface SaslCredentials {
  readonly mechanism: (typeof saslMechanisms)[number];
  readonly username: string;
  readonly password: string;
}

/** Timeouts of a Kafka client. */
export interface KafkaTiming {
  /** Of a request; connecting and logging in get a part of it. */
  readonly requestTimeoutMs: number;
  /** Longest time of a group member without a heartbeat, and the interval of heartbeats. */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /** How long a fetch waits for records. Heartbeats, resumed partitions and a stop wait for its end. */
  readonly fetchWaitMs: number;
  /** Deadlines of a stop: running handlers, the last commit, leaving the group. */
  readonly handlersDeadlineMs: number;
  readonly commitDeadlineMs: number;
  readonly leaveDeadlineMs: number;
  /** How long a start waits for topics that the deployment has not created yet. */
  readonly topicsTimeoutMs: number;
}

export interface KafkaAccess {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** Overrides the defaults. */
  readonly timing?: Partial<KafkaTiming>;
  /** Connections are not encrypted without it. */
  readonly tls?: TlsIdentity;
  readonly sasl?: SaslCredentials;
}

/** `parsed` comes from readSettings over a shape that includes {@link kafkaSettings}. */
export function kafkaAccess(parsed: Parsed<typeof kafkaSettings>): KafkaAccess {
  const tls = tlsIdentity('KAFKA_TLS', parsed);
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD_FILE: password,
  } = parsed;
  const named = mechanism !== undefined && username !== undefined && password !== undefined;
  return {
    brokers: parsed.KAFKA_BROKERS,
    timing: {
      requestTimeoutMs: parsed.KAFKA_TIMEOUT_MS,
      sessionTimeoutMs: parsed.KAFKA_SESSION_TIMEOUT_MS,
    },
    ...(tls ? { tls } : {}),
    ...(named ? { sasl: { mechanism, username, password } } : {}),
  };
}
