import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { ApiCall } from './api-call.ts';

/** A request that is wrong in one thing, and the code it is answered with. */
export type MalformedCase = readonly [
  what: string,
  call: ApiCall & { key?: string },
  code: PublicCode,
];
