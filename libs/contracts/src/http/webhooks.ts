import { z } from 'zod';
import { environment } from '../environment.ts';
import { eventId, projectId, webhookEndpointId } from '../ids.ts';
import { strictWire, time, wire } from '../wire.ts';
import { pagination } from './meta.ts';
import { controlFree, listParameters, queryTime, requestTimeMs } from './parameters.ts';
import { eventTypeName, projectEventType, projectEventTypes } from './project-event.ts';

/** Most endpoints of one Project. */
export const webhookEndpointsMax = 10;
const urlCharactersMax = 2_000;
const descriptionCharactersMax = 200;
const dayS = 24 * 3_600;
/** Bytes of a response body that are shown of an attempt. */
const responseBodyMax = 1_024;

export const webhookEndpointState = z.enum(['enabled', 'disabled']);

/** Why an endpoint is disabled: by request, by a 410 response, or after 5 days of failures. */
export const webhookDisabledReason = z.enum(['requested', 'gone', 'failing']);

/** Checked where its rules are; the pattern is of deployments without private endpoints. */
const url = z
  .string()
  .min(1)
  .max(urlCharactersMax)
  .meta({ format: 'uri', pattern: '^https://[^@#]+$' })
  .describe('https, of a public host, without a password and a fragment.');
const description = z
  .string()
  .max(descriptionCharactersMax)
  .regex(controlFree, 'must not contain control characters')
  .nullable();
const types = z
  .array(projectEventType)
  .min(1, 'must name a type')
  .max(projectEventTypes.length)
  .refine((given) => new Set(given).size === given.length, 'must name each type once')
  .meta({ uniqueItems: true });

/** Body of POST …/webhook-endpoints. */
export const newWebhookEndpoint = z.strictObject({
  url,
  types,
  description: description.default(null),
});

/** Body of PATCH …/webhook-endpoints/{endpoint_id}: absent fields do not change. */
export const webhookEndpointChange = z
  .strictObject({
    url: url.optional(),
    types: types.optional(),
    description: description.optional(),
    state: webhookEndpointState.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'must change something')
  .meta({ minProperties: 1 });

export const webhookEndpointPath = wire({ projectId, endpointId: webhookEndpointId });

const endpointFields = {
  endpointId: webhookEndpointId,
  projectId,
  url: z.string(),
  description: z.string().nullable(),
  types: z.array(eventTypeName).describe('Later versions may add types.'),
  state: webhookEndpointState,
  /** Null while it is enabled. */
  disabledReason: webhookDisabledReason.nullable(),
  /** When consecutive failures began; null after a success. */
  failingSinceMs: time.nullable(),
  /** Newest first; a replaced one expires. */
  secrets: z.array(wire({ createdAtMs: time, endsAtMs: time.nullable() })),
  createdAtMs: time,
  changedAtMs: time,
};

/** One endpoint. Its secrets are returned only when they are created. */
export const webhookEndpoint = wire(endpointFields);

export const withSecretFields = { ...endpointFields, secret: z.string() };
export const webhookSecretPrefix = 'whsec_';
/** A signing secret in the form of Standard Webhooks: `whsec_` and base64. */
export const writeWebhookSecret = (entropy: Uint8Array): string =>
  `${webhookSecretPrefix}${Buffer.from(entropy).toString('base64')}`;
/** An endpoint with its new secret: `whsec_` and base64. */
export const webhookEndpointWithSecret = wire(withSecretFields);

/** Query of GET …/webhook-endpoints. */
export const webhookEndpointsQuery = z.object(listParameters);

export const webhookEndpointList = z.object({ items: z.array(webhookEndpoint), pagination });

/** A deleted endpoint. */
export const deletedWebhookEndpoint = wire({
  endpointId: webhookEndpointId,
  deleted: z.literal(true),
});

export const rotationFields = {
  overlapSeconds: z
    .int()
    .min(0)
    .max(7 * dayS)
    .default(dayS)
    .describe('How long the replaced secret continues to sign.'),
  force: z
    .boolean()
    .default(false)
    .describe('Also while two secrets sign: the older one ends at once.'),
};
/** Body of POST …/rotate-secret. */
export const webhookRotation = strictWire(rotationFields);

/** Type of a test event, which is in no log. */
export const webhookPingType = 'webhook.ping';

/** Type of a delivery: that of an event of the Project's log, or of a test. */
export const webhookDeliveryType = eventTypeName.describe(
  'One of the types that an endpoint subscribes to, or `webhook.ping`; later versions may add some.',
);
export const webhookDeliveryState = z.enum(['pending', 'delivered', 'failed']);

/** Why an attempt failed. */
export const webhookAttemptError = z.enum([
  /** A response other than 2xx. */
  'status',
  /** A 3xx response: redirects are not followed. */
  'redirect',
  'timeout',
  /** The name does not resolve. */
  'dns',
  /** The name resolves to an address that is not public. */
  'address_refused',
  'tls',
  'connection',
]);

export const webhookAttempt = wire({
  atMs: time,
  /** HTTP status of the response; null without one. */
  status: z.int().nullable(),
  durationMs: z.int().min(0),
  error: webhookAttemptError.nullable(),
  responseBody: z
    .string()
    .max(responseBodyMax)
    .nullable()
    .default(null)
    .describe('First KiB of the response body, as text; null without a response.'),
});

export const webhookDelivery = wire({
  eventId,
  type: webhookDeliveryType,
  state: webhookDeliveryState,
  /** Why it is not retried; null unless it failed. */
  failure: z.enum(['attempts_exhausted', 'endpoint_disabled']).nullable(),
  createdAtMs: time,
  nextAttemptAtMs: time.nullable(),
  /** Number of all attempts; `attempts` has the newest. */
  attemptsTotal: z.int().min(0),
  attempts: z.array(webhookAttempt),
});

/** Which deliveries of an endpoint are listed. */
export const webhookDeliveriesFilter = {
  state: webhookDeliveryState.optional().describe('Only deliveries in this state.'),
  from: queryTime.optional().describe('Created at this time or later.'),
  to: queryTime.optional().describe('Created before this time.'),
};

export const webhookDeliveriesQuery = z.object({
  ...webhookDeliveriesFilter,
  ...listParameters,
});

export const webhookDeliveryList = z.object({ items: z.array(webhookDelivery), pagination });

/** Body of POST …/redeliver: one event, or all that were appended in a time range. */
export const webhookRedelivery = z.union(
  [
    strictWire({ eventId }),
    strictWire({ sinceMs: requestTimeMs, untilMs: requestTimeMs.optional() }),
  ],
  'must be an event_id, or since and until',
);

export const webhookRedelivered = wire({
  /** Number of events that will be redelivered. */
  redelivered: z.int().min(0),
  /** Where the range continues; null when it is complete. */
  continueSinceMs: time.nullable(),
});

export const webhookPingEvent = wire({
  id: eventId,
  version: z.literal(1),
  type: z.literal(webhookPingType),
  occurredAtMs: time,
  projectId,
  environment: environment.optional(),
  data: wire({ endpointId: webhookEndpointId }),
  links: z.object({}),
}).describe('A test of an endpoint, which is in no log.');

/** A test was scheduled; its result is among the endpoint's deliveries. */
export const webhookPing = wire({ eventId });
