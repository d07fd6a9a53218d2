import { Webhook } from 'standardwebhooks';
import type { ReceivedHook } from './http-receiver.ts';

/** The event of a request, as a receiver gets it that knows nothing of us; throws what it throws. */
export function verifyHook(secret: string, hook: ReceivedHook | undefined): unknown {
  const headers = hook?.headers as Record<string, string>;
  return new Webhook(secret).verify(hook?.raw ?? '', headers);
}
