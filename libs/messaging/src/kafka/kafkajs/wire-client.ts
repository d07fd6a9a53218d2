import type { Admin } from 'kafkajs';
import { type ClientVersions, versionsSent } from '../broker-versions.ts';
import type { ClusterReads, KafkaConnection, WireClient } from '../wire-client.ts';
import { createKafkaClient } from './client.ts';
import { openKafkajsMember } from './member.ts';
import { openKafkajsProducer } from './producer.ts';
import { readAsAdmin, untilSettled } from './read-as-admin.ts';

export function createKafkajsWireClient(connection: KafkaConnection): WireClient {
  const stopping = new AbortController();
  const kafka = createKafkaClient(connection, { stopping: stopping.signal });
  return {
    connection,
    versions: kafkajsVersions,
    openProducer: () => openKafkajsProducer(kafka),
    openMember: (options) => openKafkajsMember(connection, options),
    read: (request) => readAsAdmin(kafka, (admin) => request(readsOf(admin))),
    stop: () => stopping.abort(),
  };
}

function readsOf(admin: Admin): ClusterReads {
  return {
    // A wait for topics polls often, for longer than one read may take.
    topics: () => untilSettled(() => admin.listTopics()),
    bounds: (topic) => admin.fetchTopicOffsets(topic),
    async committed(groupId, topic) {
      const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return committed?.partitions ?? [];
    },
  };
}

/**
 * The client negotiates by the newest versions alone and ignores the broker's oldest: without a check
 * a request that a broker no longer supports shows as closed connections.
 */
export function kafkajsVersions(): ClientVersions {
  const keys: Record<string, number> = require('kafkajs/src/protocol/requests/apiKeys');
  const { requests }: { requests: Record<string, { versions: string[] }> } =
    require('kafkajs/src/protocol/requests');
  const implemented = Object.entries(keys).flatMap(([name, key]) =>
    (requests[name]?.versions ?? []).map((version) => ({ key, version: Number(version) })),
  );
  return versionsSent('kafkajs', implemented);
}
