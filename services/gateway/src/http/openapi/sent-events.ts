import { projectEvent } from '@inventory/contracts/http/project-event';
import { streamFrames } from '@inventory/contracts/http/stream-frames';
import { webhookPingEvent } from '@inventory/contracts/http/webhooks';
import { eventId } from '@inventory/contracts/ids';
import {
  type JsonSchema,
  jsonSchemaOf,
  type NamedSchemas,
  referenceTo,
} from '@inventory/http/json-schema';
import { exampleEvents } from './examples.ts';

/** What the service sends by itself: requests of webhooks and frames of the event stream. */

const responses = {
  '2XX': { description: 'Within 15 seconds: the event is delivered.' },
  '410': { description: 'The endpoint is disabled at once.' },
  default: { description: 'The event is sent again later. Redirects are not followed.' },
};
const signedText =
  'Signed by the Standard Webhooks scheme: the signature is ' +
  '`base64(HMAC-SHA256(key, id + "." + timestamp + "." + body))` of the bytes as received, the key the ' +
  'part of the secret after `whsec_`, decoded from base64. Sent at least once and in no guaranteed order.';

/** The request of each type of event, by the type. */
export function webhookRequests(named: NamedSchemas): JsonSchema {
  const parameters = signatureHeaders(named);
  return Object.fromEntries(
    [...projectEvent.options, webhookPingEvent].map((event) => {
      const type = event.in.shape.type.value;
      const content = {
        schema: jsonSchemaOf(event, { io: 'output', named }),
        example: exampleEvents[type],
      };
      const operation = {
        operationId: `receive${named.get(event)}`,
        tags: ['Webhooks'],
        summary: `\`${type}\``,
        description: [event.description, signedText].join('\n\n'),
        security: [],
        parameters,
        requestBody: { required: true, content: { 'application/json': content } },
        responses,
      };
      return [type, { post: operation }];
    }),
  );
}

function signatureHeaders(named: NamedSchemas): JsonSchema[] {
  const texts = {
    'webhook-id': 'The id of the event, the same at every attempt: deduplicate by it.',
    'webhook-timestamp': 'Seconds since the epoch, of this attempt.',
    'webhook-signature':
      '`v1,` and the signature; two of them, separated by a blank, while a secret is rotated.',
  };
  const schemas: Record<string, JsonSchema> = {
    'webhook-id': jsonSchemaOf(eventId, { io: 'output', named }),
    'webhook-timestamp': { type: 'integer', format: 'int64', minimum: 0 },
  };
  return Object.entries(texts).map(([name, description]) => {
    const schema = schemas[name] ?? { type: 'string' };
    return { name, in: 'header', description, required: true, schema };
  });
}

/** Each frame of the event stream, and their union. A comment between frames is a heartbeat. */
export function frameSchemas(named: NamedSchemas): Record<string, JsonSchema> {
  const forms = Object.entries(streamFrames).map(([event, data]) => ({
    event,
    name: `${named.get(data)}Frame`,
    schema: frameOf(event, jsonSchemaOf(data, { io: 'output', named })),
  }));
  const mapping = Object.fromEntries(
    forms.map(({ event, name }) => [event, `#/components/schemas/${name}`]),
  );
  return {
    StreamFrame: {
      description: 'A frame of the event stream, with its `data` parsed as JSON.',
      oneOf: forms.map(({ name }) => referenceTo(name)),
      discriminator: { propertyName: 'event', mapping },
    },
    ...Object.fromEntries(forms.map(({ name, schema }) => [name, schema])),
  };
}

/** Control frames, whose names begin with `stream.`, carry no position. */
function frameOf(event: string, data: JsonSchema): JsonSchema {
  const id = { type: 'string', description: 'Cursor: the stream continues after it.' };
  const properties = {
    event: { type: 'string', const: event },
    ...(event.startsWith('stream.') ? {} : { id }),
    data,
  };
  return { type: 'object', properties, required: Object.keys(properties) };
}
