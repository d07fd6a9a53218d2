import { Agent, type Dispatcher, ProxyAgent } from 'undici';

/** One way out to the platform, as a setting names it. */
export interface EgressIdentity {
  /** Names the identity in the store, in metrics and logs; carries no secret. */
  readonly id: string;
  readonly dispatcher: Dispatcher;
}

export class EgressSettingInvalid extends Error {
  override name = 'EgressSettingInvalid';
}

const connectTimeoutMs = 5_000;

/**
 * Opens the identities of the PLATFORM_EGRESS setting: `direct` (this machine's address),
 * `direct:<local address>`, or the URL of an HTTP proxy, whose user and password it may carry.
 */
export function openEgress(names: readonly string[]): EgressIdentity[] {
  const identities = names.map(openOne);
  const ids = new Set(identities.map(({ id }) => id));
  if (ids.size !== identities.length) {
    throw new EgressSettingInvalid('an egress identity is named twice');
  }
  return identities;
}

function openOne(name: string): EgressIdentity {
  if (name === 'direct') return { id: name, dispatcher: directAgent() };
  if (name.startsWith('direct:')) {
    return { id: name, dispatcher: directAgent(name.slice('direct:'.length)) };
  }
  const proxy = parseProxy(name);
  const user = decodeURIComponent(proxy.username);
  const credentials = `${user}:${decodeURIComponent(proxy.password)}`;
  return {
    id: user ? `proxy:${user}@${proxy.host}` : `proxy:${proxy.host}`,
    dispatcher: new ProxyAgent({
      uri: proxy.origin,
      ...(user ? { token: `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
      connect: { timeout: connectTimeoutMs },
      connections: 2,
    }),
  };
}

function directAgent(localAddress?: string): Agent {
  return new Agent({
    connections: 2,
    connect: { timeout: connectTimeoutMs, ...(localAddress ? { localAddress } : {}) },
  });
}

/** The value is not repeated in the error: it may carry a password. */
function parseProxy(name: string): URL {
  const url = URL.parse(name);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new EgressSettingInvalid(
      'an egress identity is neither direct, direct:<address> nor the http(s) URL of a proxy',
    );
  }
  return url;
}
