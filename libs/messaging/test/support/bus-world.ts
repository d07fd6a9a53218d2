import type { TopicName } from '@inventory/contracts/topics';
import type { MessageBus } from '../../src/bus.ts';
import type { WireRecord } from '../../src/wire-record.ts';

/** A broker with topics of its own for one test: two partitions per work topic. */
export interface BusWorld {
  /** One more replica. */
  openBus(): Promise<MessageBus>;
  /** Appends a record without validation against its contract. */
  put(topic: TopicName, record: WireRecord): Promise<void>;
  /** The dead letters of a topic. */
  letters(topic: TopicName): Promise<readonly WireRecord[]>;
  /** Ends all replicas. */
  close(): Promise<void>;
}

export interface BusAdapter {
  readonly name: string;
  openWorld(): Promise<BusWorld>;
}
