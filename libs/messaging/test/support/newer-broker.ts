import { type BrokerProxy, startBrokerProxy } from './broker-proxy.ts';

const apiVersionsKey = 18;

/** Stands before a real broker and says that it speaks one request, `key`, from `min` to `max`. */
export function startNewerBroker(
  realAddress: string,
  offer: { key: number; min: number; max: number },
): Promise<BrokerProxy> {
  return startBrokerProxy(realAddress, ({ key, version }) =>
    key === apiVersionsKey && version === 0 ? versionsAnswer(offer) : undefined,
  );
}

function versionsAnswer(offer: { key: number; min: number; max: number }): Buffer {
  const body = Buffer.alloc(12);
  body.writeInt16BE(0, 0);
  body.writeInt32BE(1, 2);
  body.writeInt16BE(offer.key, 6);
  body.writeInt16BE(offer.min, 8);
  body.writeInt16BE(offer.max, 10);
  return body;
}
