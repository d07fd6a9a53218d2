import { findFreePort } from '@inventory/backends/free-port';
import type { Environment } from '@inventory/contracts/environment';
import { type ServiceName, serviceNames } from '@inventory/contracts/topics';
import type { Replicas } from './stack-settings.ts';

/** One replica of a service and the ports it listens on. */
export interface ServiceAddress {
  readonly service: ServiceName;
  /** `gateway`, and from the second replica on `gateway-2`: names its log. */
  readonly name: string;
  /** Sandbox for the second deployment of a service that each environment has its own of. */
  readonly environment: Environment;
  readonly httpPort: number;
  /** Of the public API; only a gateway has one. */
  readonly publicPort: number | null;
  /** Of the operator API; only a gateway has one. */
  readonly operatorPort: number | null;
}

export interface FixedPorts {
  /** Of the first gateway's public API; 0 takes a free one. */
  readonly gateway: number;
  /** Of the first gateway's operator API; 0 takes a free one. */
  readonly operator: number;
  /** Not assigned to a service. */
  readonly simulator: number | null;
}

/** Every replica with ports of its own: fixed ones for the first gateway, free ones for the others. */
export async function assignAddresses(
  replicas: Replicas,
  fixed: FixedPorts,
  hasSandbox = false,
): Promise<readonly ServiceAddress[]> {
  const asked = [fixed.gateway, fixed.operator, fixed.simulator];
  const free = async (): Promise<number> => {
    const port = await findFreePort();
    return asked.includes(port) ? free() : port;
  };
  const addresses: ServiceAddress[] = [];
  for (const service of serviceNames) {
    for (let replica = 1; replica <= (replicas[service] ?? 1); replica += 1) {
      const isGateway = service === 'gateway';
      const own = isGateway && replica === 1 ? fixed : { gateway: 0, operator: 0 };
      addresses.push({
        service,
        name: replica === 1 ? service : `${service}-${replica}`,
        environment: 'live',
        httpPort: await free(),
        publicPort: isGateway ? own.gateway || (await free()) : null,
        operatorPort: isGateway ? own.operator || (await free()) : null,
      });
    }
  }
  if (hasSandbox) addresses.push({ ...sandboxCollector, httpPort: await free() });
  return addresses;
}

const sandboxCollector = {
  service: 'refresh-collector',
  name: 'sandbox-refresh-collector',
  environment: 'sandbox',
  publicPort: null,
  operatorPort: null,
} as const;

/** Where the gateway reads the sandbox; null where there is none. */
export function sandboxCollectorUrl(addresses: readonly ServiceAddress[]): string | null {
  const found = addresses.find(({ environment }) => environment === 'sandbox');
  return found ? localUrl(found.httpPort) : null;
}

export function localUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}
