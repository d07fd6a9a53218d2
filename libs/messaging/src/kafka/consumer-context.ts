import type { RecordSender } from './record-sender.ts';
import type { WireClient } from './wire-client.ts';

/** What the readers of a bus share. */
export interface ReaderContext {
  readonly wire: WireClient;
  readonly topicPrefix: string;
}

/** What its consumers share, which send dead letters. */
export interface ConsumerContext extends ReaderContext {
  readonly sender: RecordSender;
}
