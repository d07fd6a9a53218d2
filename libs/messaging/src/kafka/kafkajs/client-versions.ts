import type { ClientVersions } from '../broker-versions.ts';

/**
 * Every request that the client sends here. The client negotiates by the newest versions alone and
 * ignores the broker's oldest: without this check a request that a broker no longer supports shows
 * as closed connections.
 */
const sentRequests = [
  'Produce',
  'Fetch',
  'ListOffsets',
  'Metadata',
  'OffsetCommit',
  'OffsetFetch',
  'GroupCoordinator',
  'JoinGroup',
  'Heartbeat',
  'LeaveGroup',
  'SyncGroup',
  'ApiVersions',
] as const;

/** The versions of each request that the client implements, by the request's number. */
export function clientVersions(): ClientVersions {
  const keys: Record<string, number> = require('kafkajs/src/protocol/requests/apiKeys');
  const { requests }: { requests: Record<string, { versions: string[] }> } =
    require('kafkajs/src/protocol/requests');
  return new Map(
    sentRequests.map((name) => {
      const versions = requests[name]?.versions.map(Number) ?? [];
      const key = keys[name];
      if (key === undefined || versions.length === 0) {
        throw new Error(`kafkajs changed: it does not declare its versions of ${name}`);
      }
      return [key, { name, min: Math.min(...versions), max: Math.max(...versions) }];
    }),
  );
}
