import type { TopicName } from '@inventory/contracts/topics';
import type { MessageBus } from '../../src/bus.ts';
import type { WireRecord } from '../../src/wire-record.ts';

/** A broker of the test's own, as far as the test can tell: two partitions per work topic. */
export interface BusWorld {
  /** One more replica. */
  openBus(): Promise<MessageBus>;
  /** Puts a record into a topic as it is, past the contracts. */
  put(topic: TopicName, record: WireRecord): Promise<void>;
  /** What lies in the dead letters of a topic. */
  letters(topic: TopicName): Promise<readonly WireRecord[]>;
  /** Ends all replicas. */
  close(): Promise<void>;
}

export interface BusAdapter {
  readonly name: string;
  openWorld(): Promise<BusWorld>;
}
