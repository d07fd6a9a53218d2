import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { provisionBackends } from '@inventory/backends/provision-backends';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import { prepareTopics } from '@inventory/service-host/jobs';
import type { CertificateDirectory, TestAuthority } from '@inventory/testkit/certificates';
import { testLogger } from '@inventory/testkit/namespace';

type Environment = Readonly<Record<string, string>>;

/**
 * One broker with a listener for each way to authenticate, which it requires. It denies what no rule
 * allows, but for the administrator and for its own connections.
 */
export interface SecuredKafka {
  /** Settings that log a user in by TLS and SCRAM. */
  login(user: KafkaUser): Environment;
  readonly passwords: Readonly<Record<KafkaUser, string>>;
  /** TLS, and a certificate of the authority; its common name is the user. */
  readonly certificateBroker: string;
  /** Creates the topics and the rights of the services, as the topics job does. */
  prepare(topicPrefix?: string): Promise<void>;
  stop(): Promise<void>;
}

export interface SecuredKafkaOptions {
  readonly folder: CertificateDirectory;
  readonly authority: TestAuthority;
}

const administrator = 'inventory-admin';
export const userOf = (service: ServiceName) => `inventory-${service}` as const;
export type KafkaUser = typeof administrator | `inventory-${ServiceName}`;

const loginModule = 'org.apache.kafka.common.security';

export async function startSecuredKafka(options: SecuredKafkaOptions): Promise<SecuredKafka> {
  const { folder, authority } = options;
  const names: KafkaUser[] = [administrator, ...serviceNames.map(userOf)];
  const passwords = Object.fromEntries(names.map((name) => [name, randomUUID()])) as Record<
    KafkaUser,
    string
  >;
  for (const name of names) writeFileSync(join(folder.path, `${name}.password`), passwords[name]);
  const [plain = 0, login = 0, certificate = 0, controller = 0] = await Promise.all(
    Array.from({ length: 4 }, () => findFreePort()),
  );
  // biome-ignore lint/style/noProcessEnv: the broker's programs run in the environment of the test.
  const { KAFKA_BROKERS: _shared, ...environment } = process.env;
  const backends = await provisionBackends({
    environment,
    docker: 'never',
    ports: { kafka: plain },
    kafkaUsers: passwords,
    kafkaSettings: {
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      listeners: [
        `PLAINTEXT://127.0.0.1:${plain}`,
        `LOGIN://127.0.0.1:${login}`,
        `CERTIFICATE://127.0.0.1:${certificate}`,
        `CONTROLLER://127.0.0.1:${controller}`,
      ].join(','),
      'advertised.listeners': [
        `PLAINTEXT://127.0.0.1:${plain}`,
        `LOGIN://localhost:${login}`,
        `CERTIFICATE://localhost:${certificate}`,
      ].join(','),
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,LOGIN:SASL_SSL,CERTIFICATE:SSL',
      ...tlsSettings(options),
      ...loginSettings(passwords),
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // The listener without a login is the broker's own.
      'super.users': `User:ANONYMOUS;User:${administrator}`,
      'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
      'listener.name.certificate.ssl.client.auth': 'required',
    },
  });
  const loginOf = (user: KafkaUser): Environment => ({
    KAFKA_BROKERS: `localhost:${login}`,
    KAFKA_TLS: 'true',
    KAFKA_TLS_CA_FILE: authority.certificateFile,
    KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: user,
    KAFKA_SASL_PASSWORD_FILE: join(folder.path, `${user}.password`),
  });
  return {
    login: loginOf,
    passwords,
    prepare: (topicPrefix = '') =>
      prepareTopics(
        {
          ...loginOf(administrator),
          KAFKA_TOPIC_PREFIX: topicPrefix,
          TOPIC_PARTITIONS: '1',
          TOPIC_REPLICATION_FACTOR: '1',
          ACL_PRINCIPALS: 'User:inventory-{service}',
        },
        testLogger,
      ),
    certificateBroker: `localhost:${certificate}`,
    stop: () => backends.stop(),
  };
}

function tlsSettings({ folder, authority }: SecuredKafkaOptions) {
  const { certificateFile, keyFile } = authority.issue('broker');
  const keystore = join(folder.path, 'broker.pem');
  writeFileSync(keystore, readFileSync(keyFile, 'utf8') + readFileSync(certificateFile, 'utf8'));
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authority.certificateFile,
  };
}

function loginSettings(users: Environment) {
  const scram = `${loginModule}.scram.ScramLoginModule required;`;
  const plainUsers = Object.entries(users).map(([name, password]) => `user_${name}="${password}"`);
  const plain = `${loginModule}.plain.PlainLoginModule required ${plainUsers.join(' ')};`;
  return {
    'listener.name.login.sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512,PLAIN',
    'listener.name.login.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.login.scram-sha-512.sasl.jaas.config': scram,
    'listener.name.login.plain.sasl.jaas.config': plain,
  };
}
