import net from 'node:net';
import tls from 'node:tls';
import { belongTogether } from './file-settings.ts';
import { SettingsError } from './settings.ts';

/** How a TLS connection is made. Everything is PEM text. */
export interface TlsIdentity {
  /** Trusted instead of the authorities that come with Node. */
  readonly authorities?: string;
  /** Shown to the server, with the chain below it. */
  readonly certificate?: string;
  readonly privateKey?: string;
}

/** The same in the words of `tls.connect`. The server's certificate is always checked. */
export function tlsConnectOptions(identity: TlsIdentity) {
  const { authorities, certificate, privateKey } = identity;
  return {
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}

/** Who a server is asked to be, so that a proxy for several can choose; an address is no name. */
export function serverNameOf(host: string): { readonly servername?: string } {
  return net.isIP(host) ? {} : { servername: host };
}

/** Encrypted when an identity is given. What is written waits for the connection. */
export function openSocket(
  { host, port }: { readonly host: string; readonly port: number },
  identity: TlsIdentity | undefined,
): net.Socket {
  if (identity === undefined) return net.connect({ host, port });
  return tls.connect({ host, port, ...serverNameOf(host), ...tlsConnectOptions(identity) });
}

export interface TlsSettings {
  readonly prefix: 'KAFKA_TLS' | 'MONGODB_TLS';
  readonly on: boolean;
  readonly authorities: string | undefined;
  readonly certificate: string | undefined;
  readonly privateKey: string | undefined;
}

/** Throws a {@link SettingsError} when the key is another one than the certificate's. */
export function tlsIdentity(settings: TlsSettings): TlsIdentity | undefined {
  const { prefix, on, authorities, certificate, privateKey } = settings;
  if (!on) return undefined;
  if (certificate !== undefined && privateKey !== undefined) {
    if (!belongTogether(certificate, privateKey)) {
      throw new SettingsError([`${prefix}_KEY_FILE: is not the key of ${prefix}_CERT_FILE`]);
    }
  }
  return {
    ...(authorities === undefined ? {} : { authorities }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}
