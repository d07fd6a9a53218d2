import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '@inventory/backends/free-port';
import { provisionBackends } from '@inventory/backends/provision-backends';
import type { CertificateDirectory, TestAuthority } from '@inventory/testkit/certificates';

/** One broker with a listener for each way to authenticate, which it requires. */
export interface SecuredKafka {
  /** TLS, and a login by SCRAM or PLAIN. */
  readonly loginBroker: string;
  /** TLS, and a certificate of the authority. */
  readonly certificateBroker: string;
  stop(): Promise<void>;
}

export interface SecuredKafkaOptions {
  readonly folder: CertificateDirectory;
  readonly authority: TestAuthority;
  readonly username: string;
  readonly password: string;
}

const loginModule = 'org.apache.kafka.common.security';

export async function startSecuredKafka(options: SecuredKafkaOptions): Promise<SecuredKafka> {
  const { username, password } = options;
  const [plain = 0, login = 0, certificate = 0, controller = 0] = await Promise.all(
    Array.from({ length: 4 }, () => findFreePort()),
  );
  // biome-ignore lint/style/noProcessEnv: the broker's programs run in the environment of the test.
  const { KAFKA_BROKERS: _shared, ...environment } = process.env;
  const backends = await provisionBackends({
    environment,
    docker: 'never',
    ports: { kafka: plain },
    kafkaUsers: { [username]: password },
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
      ...loginSettings(username, password),
      'listener.name.certificate.ssl.client.auth': 'required',
    },
  });
  return {
    loginBroker: `localhost:${login}`,
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

function loginSettings(username: string, password: string) {
  const scram = `${loginModule}.scram.ScramLoginModule required;`;
  const plain = `${loginModule}.plain.PlainLoginModule required user_${username}="${password}";`;
  return {
    'listener.name.login.sasl.enabled.mechanisms': 'SCRAM-SHA-256,SCRAM-SHA-512,PLAIN',
    'listener.name.login.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.login.scram-sha-512.sasl.jaas.config': scram,
    'listener.name.login.plain.sasl.jaas.config': plain,
  };
}
