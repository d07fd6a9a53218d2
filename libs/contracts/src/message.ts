import type { z } from 'zod';
import type { TopicName } from './topics.ts';

/**
 * The contract of one message type and version: its topic, its key and its body. Within a version a
 * body may only gain optional fields; consumers ignore unknown fields.
 */
export interface MessageContract<Type extends string, Body extends z.ZodType> {
  readonly type: Type;
  readonly topic: TopicName;
  readonly key: (body: z.output<Body>) => string;
  readonly body: Body;
}

export function defineMessage<const Type extends string, Body extends z.ZodType>(
  contract: MessageContract<Type, Body>,
): MessageContract<Type, Body> {
  return contract;
}
