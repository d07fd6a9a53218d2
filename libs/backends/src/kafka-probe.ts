import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import { openSocket, type TlsIdentity } from '@inventory/runtime/tls-identity';
import { readApiVersions, readMetadata } from './kafka-wire.ts';

/** What a broker says of itself. */
export interface KafkaAnswer {
  /** Null where only those who log in are told. */
  readonly brokers: number | null;
  /** Highest metadata.version its software knows; null when it does not tell. */
  readonly metadataLevelMax: number | null;
}

const apiVersionsKey = 18;
const metadataKey = 3;
/** ApiVersions 3 tells the features; Metadata 6 is spoken by brokers from 1.1 to 4.x. */
const apiVersionsVersion = 3;
const metadataVersion = 6;
const replyBytesMax = 4 * 1024 * 1024;

/**
 * Asks one broker (`host:port`) for its versions and its cluster. A broker that has just started
 * answers with no brokers until it serves clients. Rejects when it does not answer. Nobody logs in.
 */
export async function askKafka(
  address: string,
  timeoutMs: number,
  { tls, sasl }: Pick<KafkaAccess, 'tls' | 'sasl'> = {},
): Promise<KafkaAnswer> {
  const at = address.lastIndexOf(':');
  const peer = { host: address.slice(0, at), port: Number(address.slice(at + 1)), timeoutMs, tls };
  const { metadataLevelMax } = readApiVersions(await exchange(peer, apiVersionsRequest()));
  if (sasl) return { brokers: null, metadataLevelMax };
  const { brokers } = readMetadata(await exchange(peer, metadataRequest()));
  return { brokers, metadataLevelMax };
}

interface Peer {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly tls: TlsIdentity | undefined;
}

/** One request on a connection of its own; the reply without its size. */
function exchange(peer: Peer, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = openSocket(peer, peer.tls);
    const fail = (reason: string): void => {
      reject(new Error(`${peer.host}:${peer.port} ${reason}`));
      socket.destroy();
    };
    const deadline = setTimeout(
      () => fail(`did not answer in ${peer.timeoutMs} ms`),
      peer.timeoutMs,
    );
    socket.write(request);
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => {
      clearTimeout(deadline);
      fail('closed the connection');
    });
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 4) return;
      const size = received.readInt32BE(0);
      if (size < 4 || size > replyBytesMax) return fail('does not speak the Kafka protocol');
      if (received.length < 4 + size) return;
      resolve(received.subarray(4, 4 + size));
      socket.destroy();
    });
  });
}

function apiVersionsRequest(): Buffer {
  const client = Buffer.from('inventory');
  const compact = Buffer.concat([Buffer.from([client.length + 1]), client]);
  const noTags = Buffer.from([0]);
  const softwareVersion = Buffer.from([2, 0x31]);
  return framed(apiVersionsKey, apiVersionsVersion, [noTags, compact, softwareVersion, noTags]);
}

function metadataRequest(): Buffer {
  const noTopics = Buffer.from([0, 0, 0, 0]);
  const allowTopicCreation = Buffer.from([0]);
  return framed(metadataKey, metadataVersion, [noTopics, allowTopicCreation]);
}

function framed(key: number, version: number, body: readonly Buffer[]): Buffer {
  const client = Buffer.from('inventory');
  const header = Buffer.alloc(10 + client.length);
  header.writeInt16BE(key, 0);
  header.writeInt16BE(version, 2);
  header.writeInt32BE(1, 4);
  header.writeInt16BE(client.length, 8);
  client.copy(header, 10);
  const content = Buffer.concat([header, ...body]);
  const size = Buffer.alloc(4);
  size.writeInt32BE(content.length);
  return Buffer.concat([size, content]);
}
