import type { Admin } from 'kafkajs';
import { untilSettled } from '../topic-admin.ts';
import type { ClusterReads, KafkaConnection, WireClient } from '../wire-client.ts';
import { createKafkaClient } from './client.ts';
import { clientVersions } from './client-versions.ts';
import { openKafkajsMember } from './member.ts';
import { openKafkajsProducer } from './producer.ts';
import { readAsAdmin } from './read-as-admin.ts';

export function createKafkajsWireClient(connection: KafkaConnection): WireClient {
  const stopping = new AbortController();
  const kafka = createKafkaClient(connection, { stopping: stopping.signal });
  return {
    connection,
    versions: clientVersions,
    openProducer: () => openKafkajsProducer(kafka),
    openMember: (options) => openKafkajsMember(connection, options),
    read: (ask) => readAsAdmin(kafka, (admin) => ask(readsOf(admin))),
    stop: () => stopping.abort(),
  };
}

function readsOf(admin: Admin): ClusterReads {
  return {
    brokers: async () => (await admin.describeCluster()).brokers.length,
    topics: () => untilSettled(() => admin.listTopics()),
    bounds: (topic) => untilSettled(() => admin.fetchTopicOffsets(topic)),
    async committed(groupId, topic) {
      const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
      return committed?.partitions ?? [];
    },
  };
}
