import type { KafkaConnection, WireClient } from '../wire-client.ts';
import { platformaticVersions } from './client-versions.ts';
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
