import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { propertyRuns } from '@inventory/testkit/property-runs';
import fc from 'fast-check';
import Koa from 'koa';
import { acceptedType, isJsonType } from './media-type.ts';

const app = new Koa();

function contextOf(accept: string) {
  const request = new IncomingMessage(new Socket());
  request.headers.accept = accept;
  return app.createContext(request, new ServerResponse(request));
}

const space = fc.constantFrom('', ' ', '\t');
const value = fc.constantFrom('utf-8', 'UTF-8', '"utf-8"', '1', '"a;q=0, text/html"', '"\\""', '');
const parameter = fc
  .tuple(space, fc.constantFrom('charset', 'Charset', 'v', 'profile', 'qs', 'q-'), space, value)
  .map(([before, name, after, one]) => `${before};${after}${name}=${one}`);
const parameters = fc.array(parameter, { maxLength: 3 }).map((all) => all.join(''));
const range = fc.constantFrom(
  'application/json',
  'Application/JSON',
  'application/*',
  'text/event-stream',
  'text/csv',
  'text/html',
  '*/*',
);
const weight = fc.constantFrom('', ';q=0', '; q=0.1', ';Q=0.5', ' ;q=1.000');

test('an accepted type counts with any parameters as without them, with its weight (Transport: RFC 9110)', () => {
  const ranges = fc.array(fc.tuple(range, parameters, weight, parameters), { minLength: 1 });
  const types = fc.subarray(['application/json', 'text/event-stream', 'text/csv'], {
    minLength: 1,
  });
  fc.assert(
    fc.property(ranges, types, (accepted, offered) => {
      const written = accepted.map((parts) => parts.join('')).join(', ');
      const plain = accepted.map(([one, , own]) => `${one}${own}`).join(', ');

      expect(acceptedType(contextOf(written), offered)).toBe(contextOf(plain).accepts(...offered));
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test.each([
  ['application/json; charset=utf-8', 'application/json'],
  ['text/event-stream;charset=UTF-8', 'text/event-stream'],
  ['text/event-stream;charset', 'text/event-stream'],
  ['application/json;profile="a,b;q=0"', 'application/json'],
  ['text/html;level=1, */*;v=2;q=0.1', 'application/json'],
  ['application/json;charset=utf-8;q=0', false],
  ['text/html;charset=utf-8', false],
  ['', 'application/json'],
])('of JSON and a stream %p accepts %p', (accept, type) => {
  expect(acceptedType(contextOf(accept), ['application/json', 'text/event-stream'])).toBe(type);
});

test.each([
  'application/json',
  'APPLICATION/json',
  ' application/json ;charset=utf8',
  'application/json;charset=utf8',
  'application/json; Charset="UTF-8"',
  'application/json; charset="utf\\-8";',
  'application/json; v=1',
  'application/json;odata.metadata=none;charset=UTF-8;v="1;charset=latin1"',
  'application/json;charset=utf-8;charset=UTF8',
  'application/json;v',
])('a body of type %p is JSON (Transport: 415)', (type) => {
  expect(isJsonType(type)).toBe(true);
});

test.each([
  '',
  'json',
  'application/jsonp',
  'application/json-patch+json',
  'text/json',
  'text/plain;v=application/json',
  'application/json;charset=utf-16',
  'application/json;charset=latin1',
  'application/json;v=1;charset="iso-8859-1"',
  'application/json;charset=utf-8;charset=utf-16',
  'application/json;charset=',
  'application/json;charset',
])('a body of type %p is not', (type) => {
  expect(isJsonType(type)).toBe(false);
});
