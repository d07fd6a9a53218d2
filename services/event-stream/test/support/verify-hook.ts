import { Webhook } from 'standardwebhooks';
import type { ReceivedHook } from './http-receiver.ts';

/** Verifies a request with the Standard Webhooks library and returns its event; throws its errors. */
export function verifyHook(secret: string, hook: ReceivedHook | undefined): unknown {
  const headers = hook?.headers as Record<string, string>;
  return new Webhook(secret).verify(hook?.raw ?? '', headers);
}
