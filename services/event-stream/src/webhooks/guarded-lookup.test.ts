import type { LookupAddress } from 'node:dns';
import { createGuardedLookup } from './guarded-lookup.ts';

const strict = { allowPrivate: false };

/** A resolver that returns one response after the other and records its queries. */
function answering(...responses: readonly (readonly string[])[]) {
  const queries: string[] = [];
  const resolve = async (hostname: string) => {
    queries.push(hostname);
    const response = responses[Math.min(queries.length, responses.length) - 1];
    if (response === undefined) throw new Error('unknown name');
    return response;
  };
  return { queries, resolve };
}

function lookUp(lookup: ReturnType<typeof createGuardedLookup>): Promise<string | LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup('hook.example.com', { all: true }, (error, address) => {
      if (error) reject(error);
      else resolve(address);
    });
  });
}

test('a name is resolved once per connection, which uses the checked addresses (Events: webhooks)', async () => {
  const { queries, resolve } = answering(['93.184.216.34'], ['127.0.0.1']);
  const lookup = createGuardedLookup(resolve, strict);

  expect(await lookUp(lookup)).toEqual([{ address: '93.184.216.34', family: 4 }]);
  await expect(lookUp(lookup)).rejects.toThrow('not public');
  expect(queries).toHaveLength(2);
});

test('a name with one private address among public ones is refused (Events: webhooks) [webhooks-addresses]', async () => {
  const { resolve } = answering(['93.184.216.34', '10.0.0.1', '2606:4700:4700::1111']);

  await expect(lookUp(createGuardedLookup(resolve, strict))).rejects.toThrow('not public');
});

test('a name that does not resolve has another error than a refused one', async () => {
  await expect(lookUp(createGuardedLookup(answering().resolve, strict))).rejects.toMatchObject({
    name: 'NameUnresolved',
  });
  await expect(lookUp(createGuardedLookup(answering([]).resolve, strict))).rejects.toMatchObject({
    name: 'NameUnresolved',
  });
});
