import type { PublicCode } from '@inventory/contracts/refusal-codes';
import type { ApiCall } from './api-call.ts';

/** A request that is wrong in one thing, and the code it is answered with. */
export type MalformedCase = readonly [
  what: string,
  call: ApiCall & { key?: string },
  code: PublicCode,
];

/** Of the account's own inventory that everything else is right about. */
export function pathsOf(platformId: string) {
  const inventory = `/v2/platform/users/${platformId}/inventory/730/2`;
  return { current: `${inventory}/current`, refresh: `${inventory}/refresh` };
}

/** A case of each value that is answered with this code. */
export function casesOf(
  code: PublicCode,
  values: readonly string[],
  toCall: (value: string) => MalformedCase[1] & { readonly what: string },
): MalformedCase[] {
  return values.map((value) => {
    const { what, ...call } = toCall(value);
    return [what, call, code];
  });
}
