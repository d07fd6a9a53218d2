import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@inventory/contracts/topics';
import { connectMongo, type MongoConnection } from '@inventory/mongo/connect';
import { type StackAddresses, stackAddresses } from '@inventory/shared-stack/addresses';
import { patientUri, testLogger } from '@inventory/testkit/namespace';
import { closeCalls } from '../../../services/gateway/test/support/api-call.ts';
import { createOperator, type Operator } from './operator.ts';
import type { Records } from './test-stack.ts';

/**
 * The stack that all stories of a run share: every service twice, in one process. A story makes
 * accounts and Projects of its own, uses platform accounts that no other story uses, and changes
 * nothing that others see.
 */
export interface SharedStack extends StackAddresses {
  /** Of the first gateway, as `operatorUrl` is. */
  readonly gatewayUrl: string;
  readonly operatorUrl: string;
  /** Public addresses of all gateways. */
  readonly gatewayUrls: readonly string[];
  readonly operator: Operator;
  /** What a service has stored: for what no API shows. */
  recordsOf(service: ServiceName): Promise<Records>;
  /** The log of all services until now. */
  readLog(): string;
  /** Ends the connections of this story; the stack keeps running for others. */
  close(): Promise<void>;
}

export function openSharedStack(): SharedStack {
  const directory = required('SHARED_STACK_DIR');
  const addresses = stackAddresses.parse(
    JSON.parse(readFileSync(join(directory, 'addresses.json'), 'utf8')),
  );
  const gateways = addresses.services.filter(({ service }) => service === 'gateway');
  const gatewayUrls = gateways.flatMap(({ publicUrl }) => publicUrl ?? []);
  const [gatewayUrl = ''] = gatewayUrls;
  const operatorUrl = gateways[0]?.operatorUrl ?? '';
  const connections = new Map<ServiceName, Promise<MongoConnection>>();
  return {
    ...addresses,
    gatewayUrl,
    gatewayUrls,
    operatorUrl,
    operator: createOperator({ ...addresses, gatewayUrl, operatorUrl }),
    async recordsOf(service) {
      const known = connections.get(service) ?? connectTo(addresses, service);
      connections.set(service, known);
      return (await known).db;
    },
    readLog: () => readFileSync(join(directory, 'stack.log'), 'utf8'),
    async close() {
      closeCalls();
      for (const connection of connections.values()) await (await connection).close();
    },
  };
}

function connectTo(addresses: StackAddresses, service: ServiceName): Promise<MongoConnection> {
  return connectMongo({
    uri: patientUri(required('MONGODB_URI')),
    database: addresses.databasePrefix + service.replaceAll('-', '_'),
    service: 'test',
    logger: testLogger,
  });
}

function required(name: string): string {
  // biome-ignore lint/style/noProcessEnv: set by Jest's global setup.
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the stories through npm test or jest`);
  return value;
}
