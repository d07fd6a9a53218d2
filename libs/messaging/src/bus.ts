import type { MessageBody, MessageType } from '@inventory/contracts/messages';
import type { TopicName } from '@inventory/contracts/topics';
import type { TraceCarrier } from '@inventory/runtime/tracing';

interface Outgoing<Type extends MessageType> {
  readonly type: Type;
  /** Deterministic: a re-sent message carries the same id. */
  readonly id: string;
  readonly body: MessageBody<Type>;
  /** Correlation id of the reply on `replies.v1`; absent where no reply is expected. */
  readonly waitingId?: string | undefined;
  /** When the requester stops waiting for the reply, in milliseconds since the epoch. */
  readonly deadlineMs?: number | undefined;
  /** The trace to continue; the active one by default. */
  readonly trace?: TraceCarrier | undefined;
}

/** A message to send; its type determines topic, key and the shape of its body. */
export type OutgoingMessage = { [Type in MessageType]: Outgoing<Type> }[MessageType];

interface Received<Type extends MessageType> {
  readonly type: Type;
  readonly id: string;
  readonly key: string;
  readonly body: MessageBody<Type>;
  readonly waitingId: string | undefined;
  readonly deadlineMs: number | undefined;
  readonly trace: TraceCarrier;
  /** When the broker appended the record, by its own clock: the same for each delivery. */
  readonly writtenAtMs: number;
  readonly topic: TopicName;
  readonly partition: number;
  /** Decimal digits. */
  readonly offset: string;
}

export type ReceivedMessageOf<Type extends MessageType> = Received<Type>;
/** A decoded message that satisfies its contract. */
export type ReceivedMessage = { [Type in MessageType]: Received<Type> }[MessageType];

/** A message that has no effect now and is not retried. */
export interface RejectedMessage {
  readonly message: ReceivedMessage;
  /** Words of the metric of dead letters: lower case with underscores. */
  readonly reason: string;
  readonly detail: string;
}

export interface WorkConsumer {
  /** Replicas with the same group share the work. */
  readonly group: string;
  readonly topics: readonly TopicName[];
  /** Most messages of one call of `onBatch`. */
  readonly batchMax?: number;
  /** No request depends on these messages: after the newest the next fetch waits, to read more. */
  readonly batchWindowMs?: number;
  /**
   * Makes the effects of messages of one partition durable. Keys are round-robin: the messages of a
   * key are consecutive, those of others between them may come earlier or later. After a rejection the
   * same messages are redelivered one at a time, with backoff; the partition waits meanwhile.
   * A message passed to `reject` goes to the dead letters at once, the others are done. It does
   * not count towards the flood of dead letters that stops a partition.
   * A message passed to `postpone` is redelivered later, before the later ones of its key; those of
   * other keys are delivered meanwhile, as long as what is postponed fits the partition's queue.
   */
  readonly onBatch: (
    messages: readonly ReceivedMessage[],
    reject: (rejected: RejectedMessage) => void,
    postpone: (message: ReceivedMessage) => void,
  ) => Promise<void>;
  /** Partitions may have moved to or from this replica: cached state may be stale. */
  readonly onReassigned?: () => void;
}

export interface BroadcastConsumer {
  /** Names this reader; every replica derives its own group from it. */
  readonly name: string;
  readonly topics: readonly TopicName[];
  /** False drops the record before it is decoded. Must be quick and must not throw. */
  readonly wants?: (record: { readonly topic: TopicName; readonly key: string }) => boolean;
  /** Must be quick and must not throw; it is not retried. */
  readonly onMessage: (message: ReceivedMessage) => void;
}

export interface BusSubscription {
  /** Takes no further messages, waits for running handlers, commits what they finished. */
  stop(): Promise<void>;
}

export interface BusHealth {
  /** The broker is compatible, and every subscription has once joined its group and fetched. */
  readonly started: boolean;
  /** Messages flow: every subscription is a member of its group that fetches. */
  readonly ready: boolean;
  /** False when the process must be restarted: no fetch for too long, or a dead consumer. */
  readonly alive: boolean;
  readonly problems: readonly string[];
}

/** Sends and receives messages. Delivery is at least once; order holds per key. */
export interface MessageBus {
  /**
   * Resolves when every message is acknowledged. Rejects with {@link BusOverloaded} when the send
   * queue is full, and with a ZodError when a body breaks its contract; nothing is sent then.
   */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Starts consuming from the group's position, or from the beginning where it has none. */
  consume(consumer: WorkConsumer): Promise<BusSubscription>;
  /** Starts reading from the present end; resolves when no later message can be missed. */
  broadcast(consumer: BroadcastConsumer): Promise<BusSubscription>;
  health(): BusHealth;
  close(): Promise<void>;
}

export class BusOverloaded extends Error {
  override name = 'BusOverloaded';
}
