import * as library from '@platformatic/kafka';
import type { ClientVersions } from '../broker-versions.ts';

/** Every request that the client sends here. */
const sentRequests = [
  'Produce',
  'Fetch',
  'ListOffsets',
  'Metadata',
  'OffsetCommit',
  'OffsetFetch',
  'FindCoordinator',
  'JoinGroup',
  'Heartbeat',
  'LeaveGroup',
  'SyncGroup',
  'ApiVersions',
] as const;

/** The versions of each request that the client implements, by the request's number. */
export function platformaticVersions(): ClientVersions {
  return new Map(
    sentRequests.map((name) => {
      const implemented = new RegExp(`^${name.charAt(0).toLowerCase()}${name.slice(1)}V\\d+$`);
      const apis = Object.entries(library).flatMap(([exported, value]) =>
        implemented.test(exported)
          ? [(value as { api: { key: number; version: number } }).api]
          : [],
      );
      const [first] = apis;
      if (first === undefined) throw new Error(`@platformatic/kafka implements no ${name}`);
      const versions = apis.map(({ version }) => version);
      return [first.key, { name, min: Math.min(...versions), max: Math.max(...versions) }];
    }),
  );
}
