import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { pipeline } from 'node:stream';
import tls from 'node:tls';
import type { TestAuthority } from '@inventory/testkit/certificates';

export interface TlsTerminator {
  readonly port: number;
  close(): void;
}

/** TLS in front of a server that speaks none; asks clients for a certificate of the authority. */
export async function startTlsTerminator(
  target: { readonly host: string; readonly port: number },
  authority: TestAuthority,
): Promise<TlsTerminator> {
  const { certificateFile, keyFile } = authority.issue('terminator');
  const options = {
    cert: readFileSync(certificateFile),
    key: readFileSync(keyFile),
    ca: readFileSync(authority.certificateFile),
    requestCert: true,
    rejectUnauthorized: true,
  };
  const open = new Set<tls.TLSSocket>();
  const server = tls.createServer(options, (client) => {
    open.add(client);
    pipeline(client, connect(target), client, () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      for (const client of open) client.destroy();
    },
  };
}
