import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectEventTypes } from '@inventory/contracts/http/project-event';
import { streamFrames } from '@inventory/contracts/http/stream-frames';
import { webhookPingType } from '@inventory/contracts/http/webhooks';
import { publicCodes } from '@inventory/contracts/refusal-codes';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { publicRoutes } from '../../public-routes.ts';
import { publicDocument } from './describe-public-api.ts';
import { errorCodesOf } from './error-responses.ts';
import { withOpenEnums } from './openapi-page.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: { readonly pattern?: string; readonly default?: unknown };
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content: Readonly<Record<string, Media>>;
        readonly headers?: object;
        readonly links?: Readonly<
          Record<string, { readonly operationId: string; readonly parameters: object }>
        >;
      }
    >
  >;
}

type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const document = publicDocument(publicRoutes) as {
  readonly paths: Operations;
  readonly webhooks: Operations;
  readonly components: Readonly<Record<'schemas' | 'headers', Readonly<Record<string, object>>>>;
};
const served = withOpenEnums(document) as unknown as typeof document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const webhooks = Object.values(document.webhooks).flatMap((path) => Object.values(path));

test('the document is valid OpenAPI 3.1 to a validator that is not ours', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const validator = require.resolve('@seriousme/openapi-schema-validator/bin/validate-api-cli.js');

  const output = execFileSync(process.execPath, [validator, file], { encoding: 'utf8' });

  expect(output).toContain('valid');
  rmSync(folder, { recursive: true });
});

test('every operation and webhook, with and without a body, has an example that fits its own schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const media = [...operations, ...webhooks].flatMap(({ operationId, requestBody, responses }) => [
    ...Object.entries(requestBody?.content ?? {}).map(([type, of]) => ({
      where: `${operationId} body`,
      type,
      of,
    })),
    ...Object.entries(responses).flatMap(([status, { content }]) =>
      Object.entries(content ?? {}).map(([type, of]) => ({
        where: `${operationId} ${status}`,
        type,
        of,
      })),
    ),
  ]);

  const compiled = new Map<string, ValidateFunction>();
  const compile = (schema: object) => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, known);
    return known;
  };

  for (const { where, type, of } of media) {
    const isValid = compile(of.schema);
    const named = Object.entries(of.examples ?? {}).map(([name, { value }]) => ({ name, value }));
    const examples = of.example === undefined ? named : [{ name: type, value: of.example }];
    expect([where, examples.length > 0]).toEqual([where, true]);
    for (const { name, value } of examples) {
      expect([where, name, isValid(value), isValid.errors]).toEqual([where, name, true, null]);
    }
  }
});

test('every path parameter has an example that fits, and a page is small where it is tried out', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const parameters = operations.flatMap((operation) => operation.parameters);
  const inPaths = parameters.filter((one) => one.in === 'path');
  const sizes = parameters.filter(({ name }) => name === 'page_size');

  const unfit = inPaths.filter(({ schema, example }) => !ajv.validate(schema, example));

  expect(unfit).toEqual([]);
  expect(sizes.map(({ example }) => example)).toEqual([50, 50]);
});

test('every parameter of a query or header says what it does, where the reference shows it', () => {
  const all = operations.flatMap(({ operationId, parameters }) =>
    parameters.map((parameter) => ({ operationId, ...parameter })),
  );
  const silent = all.filter(({ in: pointer, description }) => pointer !== 'path' && !description);

  expect(silent.map(({ operationId, name }) => `${operationId} ${name}`)).toEqual([]);
});

test('the document states defaults, types and bounds as the API applies them', () => {
  const text = JSON.stringify(document);
  const defaultOf = (name: string) => {
    const found = operations
      .flatMap(({ parameters }) => parameters)
      .filter((one) => one.name === name);
    return [...new Set(found.map(({ schema }) => schema.default))];
  };
  const { components } = document;
  const headersOf = (operationId: string, status: string) =>
    Object.keys(
      operations.find((one) => one.operationId === operationId)?.responses[status]?.headers ?? {},
    );
  const batchItem = (bodyOf('requestRefreshes').properties['items'] as { items: object }).items;

  // A generated client sends the defaults of the document: with `assetid` Current refuses a page size.
  const pageSizes = [undefined, 2000];
  expect(['limit', 'page_size', 'wait'].map(defaultOf)).toEqual([[50], pageSizes, [0]]);
  const untrue = /"message":\{"type":"string","const"|"type":\["|All other operations/.exec(text);
  expect(untrue).toBeNull();
  expect(batchItem).toMatchObject({ properties: { max_credits: { minimum: 125 } } });
  expect(components.schemas['Asset']).toMatchObject({
    properties: { asset_properties: { type: 'array' }, currencyid: { type: 'string' } },
  });
  expect(components.headers['Retry-After']).toMatchObject({ schema: { type: 'integer' } });
  expect(components.headers['X-Credits-Charged']).toMatchObject({ schema: { type: 'integer' } });
  expect(headersOf('readV1Page', '403')).toEqual(
    expect.arrayContaining(['RateLimit', 'Deprecation', 'Link', 'X-Api-Credits-Remaining']),
  );
  expect(components.schemas['ProjectEvent']).toMatchObject({
    discriminator: { propertyName: 'type', mapping: { 'account.balance.low': expect.any(String) } },
  });
  expect(components.schemas['StreamClosing']).toBeDefined();
  expect(text).toContain('"stream.closing":{"$ref":"#/components/schemas/StreamClosing"}');
});

test('enums of responses are open to later values in the served document, those of requests closed', () => {
  const { paths, components } = served;
  const responses = Object.values(paths).flatMap((path) =>
    Object.values(path).map((operation) => operation.responses),
  );
  const { Language, ...schemas } = components.schemas;

  const sent = JSON.stringify([responses, schemas, served.webhooks]);
  expect(sent).not.toContain('"enum"');
  expect(sent).not.toContain('"#/components/schemas/Language"');
  expect(Language).toMatchObject({ enum: expect.arrayContaining(['english']) });
  expect(schemas['RefreshBilling']).toMatchObject({
    properties: {
      state: { type: 'string', 'x-extensible-enum': ['reserved', 'pending', 'finalized'] },
    },
  });
  expect(JSON.stringify(paths)).toContain('"enum":["true","false"]');
});

test('every code of the table is documented where a response can have it', () => {
  const documented = new Set(publicRoutes.flatMap(errorCodesOf));
  // Of no operation.
  const others = ['method_not_allowed'];

  expect(publicCodes.filter((code) => !documented.has(code))).toEqual(
    publicCodes.filter((code) => others.includes(code)),
  );
});

/** Every schema of a document that has this keyword, with where it is. */
function schemasWith(keyword: string, among: object = document) {
  const found: { readonly where: string; readonly schema: Record<string, unknown> }[] = [];
  const visit = (value: unknown, where: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Object.hasOwn(value, keyword)) found.push({ where, schema: { ...value } });
    for (const [name, of] of Object.entries(value)) {
      if (!name.startsWith('example')) visit(of, `${where}/${name}`);
    }
  };
  visit(among, '');
  return found;
}

test('a literal that is returned or sent tells forms apart: any other value may change within a version (Versioning)', () => {
  const literals = schemasWith('const', served).map(({ where }) => where.split('/').at(-1));

  expect([...new Set(literals)].toSorted()).toEqual([
    ...['code', 'event', 'limit', 'mode', 'result', 'type'],
  ]);
  const discriminators = schemasWith('propertyName', served).map(
    ({ schema }) => schema['propertyName'],
  );
  expect(discriminators).toEqual(expect.arrayContaining(literals));
  expect(served.components.schemas['RefreshCompletedEvent']).toMatchObject({
    properties: {
      version: { type: 'integer', format: 'int32' },
      type: { const: 'inventory.refresh.completed' },
      data: { properties: { state: { 'x-extensible-enum': ['completed'] } } },
    },
  });
});

test('null has one form: the other of two forms', () => {
  const nulls = schemasWith('type', served).filter(({ schema }) => schema['type'] === 'null');
  const unions = schemasWith('anyOf', served).filter(({ schema }) =>
    (schema['anyOf'] as { type?: string }[]).some(({ type }) => type === 'null'),
  );

  expect(nulls.map(({ where }) => where)).toEqual(unions.map(({ where }) => `${where}/anyOf/1`));
  expect(schemasWith('nullable', served)).toEqual([]);
  expect(JSON.stringify(served)).not.toMatch(/"type":\[|"enum":\[[^\]]*null/);
});

test('an integer has the size that it can have, and bounds where it is sent; a time has its format', () => {
  const integers = schemasWith('type').filter(({ schema }) => schema['type'] === 'integer');
  const wrong = integers.filter(({ schema: { format, minimum, maximum, const: exact } }) => {
    const isSmall =
      exact !== undefined || (Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31);
    return format !== 'int64' && !(format === 'int32' && isSmall);
  });
  const requests = integers.filter(({ where }) => /^.paths.*(parameters|requestBody)/.test(where));
  const times = schemasWith('properties').flatMap(({ schema }) =>
    Object.entries(schema['properties'] as object).filter(([name]) =>
      /(^|_)(at|as_of)$/.test(name),
    ),
  );

  expect(wrong).toEqual([]);
  expect(requests.filter(({ schema }) => !('minimum' in schema && 'maximum' in schema))).toEqual(
    [],
  );
  expect(document.components.schemas['Scope']).toMatchObject({
    properties: { app_id: { format: 'int64' }, context_id: { format: 'int32' } },
  });
  expect(times.length).toBeGreaterThan(30);
  expect(times.filter(([, schema]) => !JSON.stringify(schema).includes('"date-time"'))).toEqual([]);
});

test('the forms of every union are told apart by a member, and have names (Errors: code; Batch)', () => {
  const named = (schema: unknown) => Object.values(schema as object).map(String);
  const unions = schemasWith('oneOf').map(({ where, schema }) => ({
    where,
    forms: Object.values(schema['oneOf'] as object).flatMap(named),
    mapped: named((schema['discriminator'] as { mapping?: object } | undefined)?.mapping ?? {}),
  }));
  const others = schemasWith('anyOf').filter(({ schema }) => {
    const forms = Object.values(schema['anyOf'] as object) as { readonly type?: string }[];
    return forms.filter(({ type }) => type !== 'null').length > 1;
  });

  expect(unions.length).toBeGreaterThan(90);
  for (const { where, forms, mapped } of unions) {
    expect([where, [...new Set(mapped)].toSorted()]).toEqual([where, forms.toSorted()]);
  }
  // A body, by which members it has.
  expect(others.map(({ where }) => where)).toEqual([
    expect.stringContaining('/redeliver/post/requestBody/'),
  ]);
});

test('every number is an integer, and every format of a request is one that the service takes as it is', () => {
  const ofRequests = operations.map(({ parameters, requestBody }) => ({ parameters, requestBody }));
  const formats = JSON.stringify(ofRequests).match(/"format":"[^"]*"(,"pattern":"[^"]*")?/g);

  expect(schemasWith('type').filter(({ schema }) => schema['type'] === 'number')).toEqual([]);
  expect(new Set(formats)).toEqual(
    new Set([
      '"format":"date-time"',
      '"format":"date"',
      '"format":"int32"',
      '"format":"int64"',
      '"format":"uri","pattern":"^https://[^@#]+$"',
    ]),
  );
});

test('operations have names of their own', () => {
  const names = operations.map(({ operationId }) => operationId);

  expect(new Set(names).size).toBe(publicRoutes.length);
});

test('the document says what the API refuses, in patterns that every generator has', () => {
  const text = JSON.stringify(document);
  const endpoint = bodyOf('createWebhookEndpoint').properties;
  const deliveries = operations.find((one) => one.operationId === 'listWebhookDeliveries');

  expect(text).not.toMatch(/\\p\{|\\P\{/i);
  expect(endpoint['types']).toMatchObject({ uniqueItems: true, minItems: 1 });
  expect(endpoint['url']).toMatchObject({ format: 'uri', pattern: '^https://[^@#]+$' });
  expect(bodyOf('changeWebhookEndpoint')).toMatchObject({ minProperties: 1 });
  expect(bodyOf('requestRefresh').properties['max_credits']).toMatchObject({ minimum: 125 });
  expect(deliveries?.parameters.find(({ name }) => name === 'from')?.schema).toEqual({
    type: 'string',
    format: 'date-time',
  });
  const cursors = operations.flatMap(({ parameters }) =>
    parameters.filter(({ name }) => ['cursor', 'after'].includes(name)),
  );
  expect(cursors.length).toBeGreaterThan(4);
  for (const { schema } of cursors) expect(schema.pattern).toBe('^[A-Za-z0-9_-]+$');
});

const linked = operations.flatMap(({ responses }) =>
  Object.values(responses).flatMap(({ links = {} }) => Object.values(links)),
);

test('every link leads to an operation by all parameters of its path, and by no parameter that it does not have', () => {
  for (const { operationId, parameters } of linked) {
    const target = operations.find((operation) => operation.operationId === operationId);
    const given = Object.keys(parameters);
    const missing = target?.parameters.filter(
      ({ name, in: pointer }) => pointer === 'path' && !given.includes(name),
    );
    const unknown = given.filter((name) => !target?.parameters.some((of) => of.name === name));
    expect([operationId, missing, unknown]).toEqual([operationId, [], []]);
  }
});

test('every operation with a path parameter is the target of a link of another one', () => {
  // The V1 routes are deprecated: nothing leads to them but their own last page.
  const deprecated = ['readV1Page', 'readV1PageAlias'];
  const reached = new Set(
    operations.flatMap(({ operationId, responses }) =>
      Object.values(responses)
        .flatMap(({ links = {} }) => Object.values(links))
        .map((link) => link.operationId)
        .filter((target) => target !== operationId),
    ),
  );
  // A link to a state verb leads a live key to 404.
  const unreached = operations
    .filter(({ tags }) => !tags.includes('Sandbox'))
    .filter(({ parameters }) => parameters.some((of) => of.in === 'path'))
    .map(({ operationId }) => operationId)
    .filter((operationId) => !reached.has(operationId));

  expect(unreached).toEqual(deprecated);
});

test('a response with a next cursor links to the operation that takes it', () => {
  const cursors = operations
    .filter(({ parameters }) => parameters.some(({ name }) => ['cursor', 'after'].includes(name)))
    .map(({ operationId }) => operationId);
  const continued = linked
    .filter(({ parameters }) => 'cursor' in parameters || 'after' in parameters)
    .map(({ operationId }) => operationId);

  expect(continued.toSorted()).toEqual(cursors.toSorted());
});

function bodyOf(operationId: string) {
  const operation = operations.find((one) => one.operationId === operationId);
  const schema = operation?.requestBody?.content['application/json']?.schema;
  return schema as { readonly properties: Readonly<Record<string, object>> };
}

test('every type of event of a Project is a documented frame of its stream (Events: fan-out)', () => {
  const media = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ content }) => Object.entries(content)),
  );
  const streams = media.filter(([type]) => type === 'text/event-stream');
  const frames = streams.map(([, { schema }]) =>
    Object.keys((schema as { readonly 'x-frames': object })['x-frames']),
  );

  expect(frames).toEqual([expect.arrayContaining([...projectEventTypes])]);
});

test('every frame of the stream has a schema; a control frame has no id (Events)', () => {
  const { StreamFrame, ...schemas } = document.components.schemas;
  const { mapping } = (StreamFrame as { discriminator: { mapping: Record<string, string> } })
    .discriminator;
  const membersOf = (reference = '') => {
    const schema = schemas[reference.split('/').at(-1) ?? ''] as { required: readonly string[] };
    return schema.required;
  };

  expect(Object.keys(mapping)).toEqual(Object.keys(streamFrames));
  for (const [event, reference] of Object.entries(mapping)) {
    const members = event.startsWith('stream.') ? ['event', 'data'] : ['event', 'id', 'data'];
    expect([event, membersOf(reference)]).toEqual([event, members]);
  }
});

test('every type of event is a documented webhook, with the headers of its signature (Events: webhooks)', () => {
  const types = Object.keys(document.webhooks);
  const headers = webhooks.map(({ parameters }) => parameters.map(({ name }) => name));

  expect(types).toEqual([...projectEventTypes, webhookPingType]);
  expect(headers).toEqual(
    types.map(() => ['webhook-id', 'webhook-timestamp', 'webhook-signature']),
  );
});
