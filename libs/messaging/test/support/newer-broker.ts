import { type BrokerProxy, startBrokerProxy } from './broker-proxy.ts';

const apiVersionsKey = 18;

/** A proxy of a broker that declares versions `min` to `max` of one request, `key`. */
export function startNewerBroker(
  realAddress: string,
  offer: { key: number; min: number; max: number },
): Promise<BrokerProxy> {
  return startBrokerProxy(realAddress, ({ key, version }) =>
    key === apiVersionsKey && version === 0 ? versionsResponse(offer) : undefined,
  );
}

function versionsResponse(offer: { key: number; min: number; max: number }): Buffer {
  const body = Buffer.alloc(12);
  body.writeInt16BE(0, 0);
  body.writeInt32BE(1, 2);
  body.writeInt16BE(offer.key, 6);
  body.writeInt16BE(offer.min, 8);
  body.writeInt16BE(offer.max, 10);
  return body;
}
