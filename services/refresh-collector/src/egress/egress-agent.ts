import { invariant } from '@inventory/runtime/bug';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type EgressName, identityId, parseEgressName } from './egress-name.domain.ts';

/** An egress identity that is open. */
export interface EgressIdentity {
  readonly id: string;
  readonly dispatcher: Dispatcher;
}

/** The time limit of a whole request ends what comes late. */
const unlimited = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** One request is in flight at a time; the second connection is for a first that just closed. */
const connections = 2;

/**
 * Opens the identities of the PLATFORM_EGRESS setting, which was checked when it was read. The
 * connect timeout bounds each step up to a connection with the platform, a proxy's included.
 */
export function openEgress(names: readonly string[], connectTimeoutMs: number): EgressIdentity[] {
  return names.map((name) => {
    const egress = parseEgressName(name);
    invariant(egress !== null, 'egress names are checked when the configuration is read');
    return { id: identityId(egress), dispatcher: openDispatcher(egress, connectTimeoutMs) };
  });
}

function openDispatcher(egress: EgressName, connectTimeoutMs: number): Dispatcher {
  const connect = { timeout: connectTimeoutMs };
  if (egress.kind === 'direct') {
    const { localAddress } = egress;
    return new Agent({
      ...unlimited,
      connections,
      connect: localAddress === null ? connect : { ...connect, localAddress },
    });
  }
  const credentials = Buffer.from(`${egress.user}:${egress.password}`).toString('base64');
  return new ProxyAgent({
    ...unlimited,
    uri: egress.origin,
    connections,
    // A tunnel always: what goes wrong before it stands is told apart from the platform's answers.
    proxyTunnel: true,
    connectTimeout: connectTimeoutMs,
    // Of the answer to CONNECT.
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, connections, headersTimeout: connectTimeoutMs }),
    ...(egress.user === null ? {} : { token: `Basic ${credentials}` }),
  });
}
