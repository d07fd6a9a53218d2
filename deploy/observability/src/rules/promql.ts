/**
 * What was counted within a window, by labels; nothing where that is none. A counter begins with
 * its first event, which `increase` alone would not see, for there is no zero before it.
 */
export function counted(series: string, window: string, by: string): string {
  const grown = `increase(${series}[${window}]) > 0`;
  const begun = `(${series} > 0 unless ${series} offset ${window})`;
  return `sum by (${by}) (${grown} or ${begun})`;
}

/** The share of some events among all of them; nothing where there were fewer than `leastEvents`. */
export function shareOf(part: {
  readonly of: string;
  readonly among: string;
  readonly window: string;
  readonly leastEvents: number;
}): string {
  const { of, among, window, leastEvents } = part;
  return `sum(increase(${of}[${window}])) / (sum(increase(${among}[${window}])) >= ${leastEvents})`;
}

/** Volumes of Kafka and MongoDB, as the kubelet reports them. */
export const claims = '{persistentvolumeclaim=~".*(kafka|mongo).*"}';
export const ofClaim = 'namespace, persistentvolumeclaim';
export const claimFree = `min by (${ofClaim}) (kubelet_volume_stats_available_bytes${claims} / kubelet_volume_stats_capacity_bytes${claims})`;
/** Disks of machines, as the node exporter reports them: logs are there. */
export const disks = '{fstype=~"ext[234]|xfs|btrfs|zfs"}';
export const ofDisk = 'instance, mountpoint';
export const diskFree = `min by (${ofDisk}) (node_filesystem_avail_bytes${disks} / node_filesystem_size_bytes${disks})`;
