import { serviceNames } from '@inventory/contracts/topics';
import { connectionsMax } from '@inventory/service-host/open-backends';
import { trackedFiles } from '../tidy/tracked-files.ts';
import { find, readRendered } from './support/read-rendered.ts';

const production = readRendered('production');

test('docs/operators/mongodb.md sums up the connections that all replicas may have', () => {
  const ofAll = { least: 0, most: 0, leastConnections: 0, mostConnections: 0 };
  const rows = serviceNames.map((name) => {
    const { spec } = production.find((one) => one.spec?.scaleTargetRef?.name === name) ?? {};
    const least: number = spec.minReplicas ?? spec.minReplicaCount;
    const most: number = spec.maxReplicas ?? spec.maxReplicaCount;
    const each = connectionsMax[name];
    ofAll.least += least;
    ofAll.most += most;
    ofAll.leastConnections += least * each;
    ofAll.mostConnections += most * each;
    return `| ${name} | ${each} | ${least} to ${most} | ${least * each} to ${most * each} |`;
  });
  const { least, most, leastConnections, mostConnections } = ofAll;
  const sum = `| **all** | | ${least} to ${most} | **${leastConnections} to ${mostConnections}** |`;
  const [page] = trackedFiles(/^docs\/operators\/mongodb\.md$/);
  for (const row of [...rows, sum]) expect(page?.text).toContain(row);
});

test('the network policy of production admits each port by which Atlas serves a cluster', () => {
  const [, { ports }] = find(production, 'NetworkPolicy', 'to-kafka-and-mongodb').spec.egress;
  expect(ports).toContainEqual({ protocol: 'TCP', port: 27_015, endPort: 27_017 });
});
