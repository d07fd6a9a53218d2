import type { Socket } from 'node:net';
import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import { openSocket } from '@inventory/runtime/tls-identity';
import { withDeadline } from '@inventory/runtime/wait';

/** The oldest and newest supported version of one request. */
export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

/** Every request that is sent here, by its number. */
const sentRequests = new Map([
  [0, 'Produce'],
  [1, 'Fetch'],
  [2, 'ListOffsets'],
  [3, 'Metadata'],
  [8, 'OffsetCommit'],
  [9, 'OffsetFetch'],
  [10, 'FindCoordinator'],
  [11, 'JoinGroup'],
  [12, 'Heartbeat'],
  [13, 'LeaveGroup'],
  [14, 'SyncGroup'],
  [18, 'ApiVersions'],
]);

/** The versions of each request that a client implements, by the request's number. */
export type ClientVersions = ReadonlyMap<number, VersionRange & { readonly name: string }>;

/** Of all requests that a client implements, those that are sent here. */
export function versionsSent(
  client: string,
  implemented: readonly { readonly key: number; readonly version: number }[],
): ClientVersions {
  const byKey = Map.groupBy(implemented, ({ key }) => key);
  return new Map(
    [...sentRequests].map(([key, name]) => {
      const versions = (byKey.get(key) ?? []).map(({ version }) => version);
      if (versions.length === 0) throw new Error(`${client} changed: it implements no ${name}`);
      return [key, { name, min: Math.min(...versions), max: Math.max(...versions) }];
    }),
  );
}

/** Lists each request for which client and broker share no version. */
export function versionProblems(
  broker: string,
  offered: ReadonlyMap<number, VersionRange>,
  spoken: ClientVersions,
): string[] {
  const problems: string[] = [];
  for (const [key, { name, min, max }] of spoken) {
    const range = offered.get(key);
    const offers = range ? `v${range.min} to v${range.max}` : 'none';
    if (!range || range.min > max || range.max < min) {
      problems.push(
        `Kafka broker ${broker} supports ${offers} of ${name}, the client v${min} to v${max}`,
      );
    }
  }
  return problems;
}

const responseDeadlineMs = 3_000;
const responseBytesMax = 1024 * 1024;
const apiVersionsKey = 18;
const unsupportedVersion = 35;

/**
 * Compares the versions that the brokers support with those of the client; unreachable brokers are
 * skipped. The request needs no authentication.
 */
export async function findVersionProblems(
  { brokers, tls }: KafkaAccess,
  spoken: ClientVersions,
): Promise<string[]> {
  const found = await Promise.all(
    brokers.map(async (broker) => {
      const offered = await readVersions(broker, tls).catch(() => undefined);
      return offered ? versionProblems(broker, offered, spoken) : [];
    }),
  );
  return found.flat();
}

async function readVersions(
  broker: string,
  tls: KafkaAccess['tls'],
): Promise<Map<number, VersionRange>> {
  const colon = broker.lastIndexOf(':');
  const address = { host: broker.slice(0, colon), port: Number(broker.slice(colon + 1)) };
  const socket = openSocket(address, tls);
  socket.write(versionsRequest());
  try {
    const response = await withDeadline(
      readResponse(socket),
      responseDeadlineMs,
      `reading the versions of ${broker}`,
    );
    return parseVersions(response);
  } finally {
    socket.destroy();
  }
}

/** ApiVersions v0: number, version and correlation id of the request, and no client id. */
function versionsRequest(): Buffer {
  const request = Buffer.alloc(14);
  request.writeInt32BE(10, 0);
  request.writeInt16BE(apiVersionsKey, 4);
  request.writeInt16BE(0, 6);
  request.writeInt32BE(1, 8);
  request.writeInt16BE(-1, 12);
  return request;
}

async function readResponse(socket: Socket): Promise<Buffer> {
  let response = Buffer.alloc(0);
  for await (const part of socket as AsyncIterable<Buffer>) {
    response = Buffer.concat([response, part]);
    if (response.length >= 4 && response.length >= 4 + response.readInt32BE(0)) return response;
    if (response.length > responseBytesMax) break;
  }
  throw new Error('the response is no list of versions');
}

/** After size and correlation id: an error code, then key, oldest and newest version of each. */
function parseVersions(response: Buffer): Map<number, VersionRange> {
  const offered = new Map<number, VersionRange>();
  if (response.readInt16BE(8) === unsupportedVersion) return offered;
  const entries = response.readInt32BE(10);
  for (let index = 0; index < entries; index += 1) {
    const at = 14 + index * 6;
    const range = { min: response.readInt16BE(at + 2), max: response.readInt16BE(at + 4) };
    offered.set(response.readInt16BE(at), range);
  }
  return offered;
}
