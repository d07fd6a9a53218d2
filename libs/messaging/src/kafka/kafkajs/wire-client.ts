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
    async missing(topics) {
      if (await exist(admin, topics)) return [];
      const missing: string[] = [];
      for (const topic of topics) if (!(await exist(admin, [topic]))) missing.push(topic);
      return missing;
    },
    bounds: (topic) => admin.fetchTopicOffsets(topic),
    async committed(groupId, topic) {
      const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return committed?.partitions ?? [];
    },
  };
}

const missingTypes = ['UNKNOWN_TOPIC_OR_PARTITION', 'TOPIC_AUTHORIZATION_FAILED'];

/** Whether all of them do. Asks for these alone: a broker may have thousands. */
function exist(admin: Admin, topics: readonly string[]): Promise<boolean> {
  // A wait for topics polls often, for longer than one read may take.
  return untilSettled(async () => {
    try {
      await admin.fetchTopicMetadata({ topics: [...topics] });
      return true;
    } catch (error) {
      if (missingTypes.includes((error as { readonly type?: string }).type ?? '')) return false;
      throw error;
    }
  });
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
