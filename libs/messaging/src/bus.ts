import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import type { TopicName } from '@inventory/contracts/topics';
import type { TraceCarrier } from '@inventory/runtime/tracing';

interface Outgoing<Type extends MessageType> {
  readonly type: Type;
  /** Deterministic: the same message sent again carries the same id. */
  readonly id: string;
  readonly body: MessageBody<Type>;
  /** Under this id somebody waits for the outcome on `replies.v1`. */
  readonly waitingId?: string | undefined;
  /** Milliseconds since the epoch after which nobody waits any more. */
  readonly deadlineMs?: number | undefined;
  /** The trace to continue; the active one when absent. */
  readonly trace?: TraceCarrier | undefined;
}

/** A message to send; its type decides topic, key and the shape of its body. */
export type OutgoingMessage = { [Type in MessageType]: Outgoing<Type> }[MessageType];

interface Received<Type extends MessageType> {
  readonly type: Type;
  readonly id: string;
  readonly key: string;
  readonly body: MessageBody<Type>;
  readonly waitingId: string | undefined;
  readonly deadlineMs: number | undefined;
  readonly trace: TraceCarrier;
  readonly topic: TopicName;
  readonly partition: number;
  /** Decimal digits. */
  readonly offset: string;
}

export type ReceivedMessageOf<Type extends MessageType> = Received<Type>;
/** A message that was decoded and satisfies its contract. */
export type ReceivedMessage = { [Type in MessageType]: Received<Type> }[MessageType];

export interface WorkConsumer {
  /** Replicas with the same group share the work. */
  readonly group: string;
  readonly topics: readonly TopicName[];
  /** Most messages given to `onBatch` at once. */
  readonly batchMax?: number;
  /** Nobody waits for these messages: they may gather for so long, and are read together. */
  readonly gatherMs?: number;
  /**
   * Makes the effects of some messages of one partition, in order, durable. A rejection makes the
   * same messages come again, one at a time, after a growing delay; the partition waits meanwhile.
   */
  readonly onBatch: (messages: readonly ReceivedMessage[]) => Promise<void>;
  /** Partitions may have moved to or from this replica: whatever is cached may be stale. */
  readonly onReassigned?: () => void;
}

export interface BroadcastConsumer {
  /** A name for this reader; every replica makes its own group of it. */
  readonly name: string;
  readonly topics: readonly TopicName[];
  /** Must be quick and must not throw; it is not repeated. */
  readonly onMessage: (message: ReceivedMessage) => void;
}

export interface Subscription {
  /** Stops taking messages, lets the running ones end, keeps what they finished. */
  stop(): Promise<void>;
}

export interface BusHealth {
  /** Every subscription is joined and has fetched; readiness of the service. */
  readonly ready: boolean;
  /** False when the process must be replaced: no fetch for too long, or a consumer died. */
  readonly alive: boolean;
  readonly problems: readonly string[];
}

/** Sends and receives messages. Delivery is at least once; order holds per key. */
export interface MessageBus {
  /**
   * Resolves when every message is acknowledged. Rejects with {@link BusOverloaded} when too much
   * waits already, with a ZodError when a body breaks its contract (nothing is sent then).
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Starts consuming from the group's position, from the beginning where it has none. */
  consume(consumer: WorkConsumer): Promise<Subscription>;
  /** Starts reading everything from now on; resolves when nothing later can be missed. */
  broadcast(consumer: BroadcastConsumer): Promise<Subscription>;
  health(): BusHealth;
  close(): Promise<void>;
}

export class BusOverloaded extends Error {
  override name = 'BusOverloaded';
}
