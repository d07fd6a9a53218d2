import * as library from '@platformatic/kafka';
import { type ClientVersions, versionsSent } from '../broker-versions.ts';
import type { KafkaConnection, WireClient } from '../wire-client.ts';
import { readCluster } from './cluster-reads.ts';
import { openPlatformaticMember } from './member.ts';
import { openPlatformaticProducer } from './producer.ts';

export function createPlatformaticWireClient(connection: KafkaConnection): WireClient {
  return {
    connection,
    versions: platformaticVersions,
    openProducer: () => openPlatformaticProducer(connection),
    openMember: (options) => openPlatformaticMember(connection, options),
    read: (ask) => readCluster(connection, ask),
    stop: () => {},
  };
}

/** The library exports each request, in each version, by a name of its own. */
export function platformaticVersions(): ClientVersions {
  const exported: readonly { readonly api?: { key: number; version: number } }[] =
    Object.values(library);
  return versionsSent(
    '@platformatic/kafka',
    exported.flatMap(({ api }) => api ?? []),
  );
}
