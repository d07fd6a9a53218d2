import type { KafkaAccess } from '@inventory/runtime/kafka-access';
import type { Logger } from '@inventory/runtime/logger';
import type { WireRecord } from '../wire-record.ts';
import type { ClientVersions } from './broker-versions.ts';
import type { ConsumerWatch } from './consumer-watch.ts';

export interface KafkaConnection extends KafkaAccess {
  /** Service name and instance, as the broker logs it. */
  readonly clientId: string;
  readonly logger: Logger;
}

/**
 * One client library. It connects, joins groups, fetches and sends; what is done with records, and
 * when a position is committed, is above it and the same for every client. Names of topics and groups
 * are those of the broker.
 */
export interface WireClient {
  readonly connection: KafkaConnection;
  /** Versions of the requests that it sends. */
  readonly versions: () => ClientVersions;
  openProducer(): Promise<WireProducer>;
  openMember(options: MemberOptions): Promise<GroupMember>;
  /** Reads from the cluster, over connections of its own; transient errors are retried. */
  read<Value>(request: (cluster: ClusterReads) => Promise<Value>): Promise<Value>;
  /** Ends every search for a broker. */
  stop(): void;
}

/** Never idempotent: consumers deduplicate by id. Keys have the same partition with every client. */
export interface WireProducer {
  /** Resolves when acknowledged by all in-sync replicas. A failed send affects no other topic. */
  send(topic: string, records: readonly WireRecord[]): Promise<void>;
  close(): Promise<void>;
}

export interface MemberOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Longest wait of an empty fetch, and so of a resumed partition. */
  readonly fetchWaitMs: number;
  /**
   * Where a partition is read from after each join. Without it: from the group's position, or from
   * the beginning where it has none.
   */
  readonly startOf?: (topic: string, partition: number) => string;
}

/** A member of a consumer group that recovers from every error. */
export interface GroupMember {
  readonly watch: ConsumerWatch;
  /** Joins and fetches until it is stopped; resolves when the first join has succeeded or failed. */
  run(handlers: MemberHandlers): Promise<void>;
  pause(topic: string, partition: number): void;
  resume(topic: string, partition: number): void;
  pauseAll(): void;
  commit(positions: readonly GroupPosition[]): Promise<void>;
  /** Leaves the group, at the latest after its deadline. */
  stop(): Promise<void>;
}

export interface MemberHandlers {
  /** The next fetch of its partition's broker waits for it. Never rejects. */
  readonly batch: (batch: FetchedBatch) => Promise<void>;
  /** Another assignment follows. Called before the request to rejoin is sent. */
  readonly rebalancing?: () => void;
  readonly joined?: () => void;
}

/** Records of one partition, at least one. */
export interface FetchedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly ReadRecord[];
  /** How many records after them are not fetched yet. */
  readonly lag: number;
  /** The next fetch continues after these records; otherwise it reads them again. */
  accept(): void;
}

export interface ReadRecord extends WireRecord {
  readonly offset: string;
  readonly writtenAtMs: number;
}

/** The offset of the next record. */
export interface GroupPosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
}

export interface ClusterReads {
  /** Which of these topics do not exist, or are not shown to this user. */
  missing(topics: readonly string[]): Promise<readonly string[]>;
  /** The first offset that is kept and the next one, of each partition. */
  bounds(topic: string): Promise<readonly PartitionBounds[]>;
  /** Positions of a group; -1 where it has none. */
  committed(groupId: string, topic: string): Promise<readonly PartitionOffset[]>;
}

interface PartitionOffset {
  readonly partition: number;
  readonly offset: string;
}

interface PartitionBounds {
  readonly partition: number;
  readonly low: string;
  readonly high: string;
}
