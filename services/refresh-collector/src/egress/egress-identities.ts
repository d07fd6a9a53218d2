import { skippingInterim } from '@inventory/http/skip-interim';
import { invariant } from '@inventory/runtime/bug';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { type EgressName, identityId, parseEgressName } from './egress-name.domain.ts';

/** An egress identity and its connections. */
export interface EgressIdentity {
  readonly id: string;
  readonly dispatcher: Dispatcher;
}

/** The timeout of the whole request applies instead. */
const unlimited = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** One request is in flight at a time; the second connection replaces one that is just closing. */
const connections = 2;

/**
 * Opens the identities of the PLATFORM_EGRESS setting, which is validated when it is read. The
 * connect timeout bounds each step up to a connection with the platform, a proxy's included.
 */
export function openEgressIdentities(
  names: readonly string[],
  connectTimeoutMs: number,
): EgressIdentity[] {
  return names.map((name) => {
    const egress = parseEgressName(name);
    invariant(egress !== null, 'egress names are checked when the configuration is read');
    return { id: identityId(egress), dispatcher: openDispatcher(egress, connectTimeoutMs) };
  });
}

function openDispatcher(egress: EgressName, connectTimeoutMs: number): Dispatcher {
  if (egress.kind === 'direct') {
    const { localAddress } = egress;
    const connect = buildConnector({
      timeout: connectTimeoutMs,
      ...(localAddress === null ? {} : { localAddress }),
    });
    return new Agent({ ...unlimited, connections, connect: skippingInterim(connect) });
  }
  const credentials = Buffer.from(`${egress.user}:${egress.password}`).toString('base64');
  return new ProxyAgent({
    ...unlimited,
    uri: egress.origin,
    connections,
    // Always a tunnel: failures to open it are distinguished from responses of the platform.
    proxyTunnel: true,
    connectTimeout: connectTimeoutMs,
    // Of the connections through the tunnel.
    factory: (origin, options) => new Pool(origin, withoutInterim(options)),
    // Of the response to CONNECT.
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, connections, headersTimeout: connectTimeoutMs }),
    ...(egress.user === null ? {} : { token: `Basic ${credentials}` }),
  });
}

/** The options of a proxy's pool name the connector that opens its tunnels. */
function withoutInterim(options: Pool.Options): Pool.Options {
  const { connect } = options;
  invariant(typeof connect === 'function', 'a proxy has a connector of its own');
  return { ...options, connect: skippingInterim(connect) };
}
