import { z } from 'zod';
import { eventId, projectId, webhookEndpointId } from '../ids.ts';
import { pagination } from './meta.ts';
import { controlFree, listParameters, queryTime, requestTime } from './parameters.ts';
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

export const webhookEndpointPath = z.object({
  project_id: projectId,
  endpoint_id: webhookEndpointId,
});

/** One endpoint. Its secrets are returned only when they are created. */
export const webhookEndpoint = z.object({
  endpoint_id: webhookEndpointId,
  project_id: projectId,
  url: z.string(),
  description: z.string().nullable(),
  types: z.array(eventTypeName).describe('Later versions may add types.'),
  state: webhookEndpointState,
  /** Null while it is enabled. */
  disabled_reason: webhookDisabledReason.nullable(),
  /** When consecutive failures began; null after a success. */
  failing_since: z.iso.datetime().nullable(),
  /** Newest first; a replaced one expires. */
  secrets: z.array(
    z.object({ created_at: z.iso.datetime(), ends_at: z.iso.datetime().nullable() }),
  ),
  created_at: z.iso.datetime(),
  changed_at: z.iso.datetime(),
});
export type WebhookEndpointView = z.infer<typeof webhookEndpoint>;

/** An endpoint with its new secret: `whsec_` and base64. */
export const webhookEndpointWithSecret = webhookEndpoint.extend({ secret: z.string() });
export type WebhookEndpointWithSecret = z.infer<typeof webhookEndpointWithSecret>;

/** Query of GET …/webhook-endpoints. */
export const webhookEndpointsQuery = z.object(listParameters);

export const webhookEndpointList = z.object({ items: z.array(webhookEndpoint), pagination });

/** A deleted endpoint. */
export const deletedWebhookEndpoint = z.object({
  endpoint_id: webhookEndpointId,
  deleted: z.literal(true),
});

/** Body of POST …/rotate-secret. */
export const webhookRotation = z.strictObject({
  overlap_seconds: z
    .int()
    .min(0)
    .max(7 * dayS)
    .default(dayS)
    .describe('How long the replaced secret continues to sign.'),
  force: z
    .boolean()
    .default(false)
    .describe('Also while two secrets sign: the older one ends at once.'),
});

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

export const webhookAttempt = z.object({
  at: z.iso.datetime(),
  /** HTTP status of the response; null without one. */
  status: z.int().nullable(),
  duration_ms: z.int().min(0),
  error: webhookAttemptError.nullable(),
  response_body: z
    .string()
    .max(responseBodyMax)
    .nullable()
    .default(null)
    .describe('First KiB of the response body, as text; null without a response.'),
});

export const webhookDelivery = z.object({
  event_id: eventId,
  type: webhookDeliveryType,
  state: webhookDeliveryState,
  /** Why it is not retried; null unless it failed. */
  failure: z.enum(['attempts_exhausted', 'endpoint_disabled']).nullable(),
  created_at: z.iso.datetime(),
  next_attempt_at: z.iso.datetime().nullable(),
  /** Number of all attempts; `attempts` has the newest. */
  attempts_total: z.int().min(0),
  attempts: z.array(webhookAttempt),
});
export type WebhookDeliveryView = z.infer<typeof webhookDelivery>;

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
    z.strictObject({ event_id: eventId }),
    z.strictObject({ since: requestTime, until: requestTime.optional() }),
  ],
  'must be an event_id, or since and until',
);
export type WebhookRedelivery = z.infer<typeof webhookRedelivery>;

export const webhookRedelivered = z.object({
  /** Number of events that will be redelivered. */
  redelivered: z.int().min(0),
  /** Where the range continues; null when it is complete. */
  continue_since: z.iso.datetime().nullable(),
});
export type WebhookRedelivered = z.infer<typeof webhookRedelivered>;

/** A test was scheduled; its result is among the endpoint's deliveries. */
export const webhookPing = z.object({ event_id: eventId });
