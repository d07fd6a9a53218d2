import net from 'node:net';
import tls from 'node:tls';
import { belongTogether } from './file-settings.ts';
import { SettingsError } from './settings.ts';

/** Certificates and key of a TLS client. Everything is PEM text. */
export interface TlsIdentity {
  /** Trusted in place of Node's own authorities. */
  readonly authorities?: string;
  /** The client certificate with its chain. */
  readonly certificate?: string;
  readonly privateKey?: string;
}

/** Options of `tls.connect`. The server's certificate is always verified. */
export function tlsConnectOptions(identity: TlsIdentity) {
  const { authorities, certificate, privateKey } = identity;
  return {
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}

/** The server name to send (SNI), by which proxies route; none for an IP address. */
export function serverNameOf(host: string): { readonly servername?: string } {
  return net.isIP(host) ? {} : { servername: host };
}

/** Encrypted when an identity is given. Writes are buffered until it is connected. */
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

/** Throws a {@link SettingsError} when the key does not belong to the certificate. */
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
