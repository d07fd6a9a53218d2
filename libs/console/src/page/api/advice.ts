import type { Failure } from './call-api.ts';

type Refused = Extract<Failure, { kind: 'refused' }>;

const withoutResponse: Readonly<Record<Exclude<Failure['kind'], 'refused'>, [string, string]>> = {
  unreachable: [
    'The service cannot be reached.',
    'Check the network. The last known state stays on the page.',
  ],
  timeout: [
    'The service did not respond in time.',
    'Try again. What was paid for is not paid twice.',
  ],
  cut: [
    'The response ended before its end.',
    'Try again within ten minutes: the same read is free.',
  ],
  digest: [
    'The download differs from what the service sent.',
    'Try again within ten minutes: the same read is free.',
  ],
};

/** What happened, in the words of the API where it has responded. */
export function messageOf(failure: Failure): string {
  return failure.kind === 'refused' ? failure.message : withoutResponse[failure.kind][0];
}

/** What a person can do about it. */
export function adviceFor(failure: Failure): string {
  if (failure.kind !== 'refused') return withoutResponse[failure.kind][1];
  const own = adviceByCode[failure.code]?.(failure);
  if (own !== undefined) return own;
  if (failure.retryAfterSeconds !== null) return waitFor(failure);
  if (failure.status === 404) return 'Check the id: it is unknown here, or of another Project.';
  if (failure.status >= 500) return 'Try again. If it stays, report the request id.';
  return 'Change the request and send it again.';
}

const adviceByCode: Readonly<Record<string, (refused: Refused) => string>> = {
  missing_api_key: () => 'Enter the key again.',
  invalid_api_key: () =>
    'Check the key for missing characters, or ask your operator for a new one.',
  permission_denied: ({ detail: { permission, reason } }) =>
    typeof permission === 'string'
      ? `The key lacks the permission ${permission}: use another key, or ask for one that has it.`
      : reason === 'network_policy'
        ? 'The key is not valid from this network.'
        : 'Ask your operator to enable it for the account.',
  insufficient_credits: ({ detail }) => lacks(detail, 'credits'),
  insufficient_units: ({ detail }) => lacks(detail, 'units'),
  spend_cap_reached: ({ detail: { cap, spent, resets_at: resetsAt } }) =>
    `${spent} of the cap of ${cap} are spent or held. It resets at ${resetsAt}; or ask for a higher cap.`,
  invalid_request: ({ detail: { issues } }) =>
    Array.isArray(issues) && issues.length > 0
      ? `Correct ${issues.map(({ field, reason }) => `${field}: ${reason}`).join('; ')}.`
      : 'Correct the request.',
  inventory_revision_not_found: () => 'Nothing is saved of this inventory yet: refresh it.',
  revision_expired: () => 'The earlier revision is no longer kept: open the items again.',
  product_unavailable: (refused) => `Nothing was reserved. ${waitFor(refused)}`,
  replays_exhausted: () => 'Open the items again: that is a new read, at its price.',
};

function lacks({ required, available }: Refused['detail'], what: string): string {
  return `${required} ${what} are required and ${available} are available: ask your operator for a top-up.`;
}

function waitFor({ retryAfterSeconds }: Refused): string {
  return retryAfterSeconds === null ? 'Try again later.' : `Try again in ${retryAfterSeconds} s.`;
}
