import { readFile } from 'node:fs/promises';
import { type PeriodicJobOptions, startPeriodicJob } from '@inventory/runtime/periodic-job';
import ipaddr from 'ipaddr.js';

/**
 * The peers of established connections that acknowledge nothing, so that the kernel sends again what it
 * sent: `peerName` of each. A client that is gone without a word is found by nothing else for a quarter
 * of an hour. Read from the tables of Linux; elsewhere there are none.
 */
export type SilentPeers = () => ReadonlySet<string>;

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
const readEveryMs = 2_000;

/** `isNeeded`: whether there is a connection to find out about. */
export function watchSilentPeers({
  isNeeded,
  ...job
}: { isNeeded: () => boolean } & Pick<PeriodicJobOptions, 'lifetime' | 'logger'>): SilentPeers {
  let silent: ReadonlySet<string> = new Set();
  startPeriodicJob({
    name: 'silent peers',
    intervalMs: readEveryMs,
    firstDelayMs: readEveryMs,
    ...job,
    async runOnce() {
      const read = isNeeded() ? await Promise.all(tables.map(readTable)) : [];
      silent = new Set(read.flatMap(silentPeersIn));
    },
  });
  return () => silent;
}

function readTable(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '');
}

/** Remote end of a connection that is established (01), whose timer is that of a retransmission (01). */
const row = /^ *\d+: [0-9A-F:]+ ([0-9A-F]+):([0-9A-F]{4}) 01 [0-9A-F:]{17} 01:[0-9A-F]+ (?!0+ )/gm;

export function silentPeersIn(table: string): string[] {
  return [...table.matchAll(row)].map(([, address = '', port = '']) =>
    peerName(addressOf(address), Number.parseInt(port, 16)),
  );
}

/** Words of four bytes, each in the order of a little-endian machine. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  return ipaddr.fromByteArray(bytes).toString();
}

export function peerName(address: string, port: number): string {
  const known = ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
  return `${known}/${port}`;
}
