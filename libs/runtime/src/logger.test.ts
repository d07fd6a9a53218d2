import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import { createLogger } from './logger.ts';
import { redactedNames } from './redact.ts';

function openLog() {
  let written = '';
  const logger = createLogger({
    service: 'gateway',
    level: 'info',
    destination: {
      write: (line) => {
        written += line;
      },
    },
  });
  return { logger, text: () => written };
}

/** The name in the spellings of people and libraries. */
const spellings = [
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replaceAll('-', '_'),
  (name: string) => name.replaceAll(/[-_](\w)/g, (_match, letter: string) => letter.toUpperCase()),
];

const containers = [
  (inner: unknown) => ({ headers: inner }),
  (inner: unknown) => ({ list: [1, inner] }),
  (inner: unknown) => ({ err: Object.assign(new Error('failed'), { request: inner }) }),
  (inner: unknown) => ({
    err: new Error('failed', { cause: Object.assign(new Error('why'), { request: inner }) }),
  }),
];

test('a secret never reaches a log line: any of its names, any spelling, any depth', () => {
  const nesting = fc.array(fc.constantFrom(...containers), { maxLength: 9 });
  fc.assert(
    fc.property(
      fc.constantFrom(...redactedNames),
      fc.constantFrom(...spellings),
      nesting,
      (name, spell, around) => {
        const secret = { [spell(name)]: 'hunter2' };
        const fields = around.reduce<unknown>((inner, wrap) => wrap(inner), secret);
        const { logger, text } = openLog();

        logger.info(fields as object, 'request');

        expect(text()).not.toContain('hunter2');
        expect(text()).toContain('"msg":"request"');
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test.each(redactedNames)('%s is in the line, with its value redacted', (name) => {
  const { logger, text } = openLog();

  logger.warn({ request: { headers: { [name]: 'hunter2', host: 'example.com' } } }, 'refused');

  expect(JSON.parse(text()).request.headers).toEqual({
    [name]: '[redacted]',
    host: 'example.com',
  });
});

test('an error keeps its type, message, stack, own fields and cause', () => {
  const { logger, text } = openLog();
  const error = new RangeError('too far', { cause: new Error('no map') });

  logger.error({ err: Object.assign(error, { code: 'E_FAR', at: new Date(0) }), topic: 't' }, 'x');

  const line = JSON.parse(text());
  expect(line).toMatchObject({ service: 'gateway', level: 50, topic: 't', msg: 'x' });
  expect(line.err).toMatchObject({
    type: 'RangeError',
    message: 'too far: no map',
    code: 'E_FAR',
    at: '1970-01-01T00:00:00.000Z',
  });
  expect(line.err.stack).toContain('caused by: Error: no map');
});

test('an error logged alone is written like any other', () => {
  const { logger, text } = openLog();

  logger.error(Object.assign(new Error('lost'), { password: 'hunter2' }), 'store');

  expect(JSON.parse(text())).toMatchObject({ err: { type: 'Error', password: '[redacted]' } });
});

test('any log line is bounded, and the logged object is not changed', () => {
  const { logger, text } = openLog();
  const ring: Record<string, unknown> = { token: 'hunter2' };
  ring['self'] = ring;
  ring['many'] = Array.from({ length: 10_000 }, (_, index) => ({ index, ring }));

  logger.info({ ring }, 'odd');

  expect(text().length).toBeLessThan(100_000);
  expect(text()).toContain('[circular]');
  expect(ring['token']).toBe('hunter2');
});

test('lines below the level are not written', () => {
  const { logger, text } = openLog();

  logger.debug({ a: 1 }, 'detail');

  expect(text()).toBe('');
});

test('a field has its name in snake_case on the line, as on the wire, and what it holds stays as it is', () => {
  const { logger, text } = openLog();

  logger.info({ refreshId: 'r', pages_left: 1, audit: { actorName: 'a' } }, 'planted');

  expect(JSON.parse(text())).toMatchObject({
    refresh_id: 'r',
    pages_left: 1,
    audit: { actorName: 'a' },
  });
});
