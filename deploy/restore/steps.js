'use strict';

/**
 * The steps of a restore in their order. docs/operators/backup-and-restore.md explains them; each is
 * safe to repeat. A `cluster` is that of Kubernetes (`cluster.js`), or the local stack of a test.
 */
const { services } = require('../../scripts/kubernetes/production-overlay.js');
const { repeatRevocations } = require('./revocations.js');

/** What these two have lost since the backup, Kafka has. */
const rewound = ['billing-ledger', 'event-stream'];
/** Clocks differ, and what is read twice has no further effect. */
const marginMs = 5 * 60_000;

/** All of them, or the one whose database alone is restored. */
const chosen = (names, only) => names.filter((name) => only === undefined || name === only);
const before = (atMs) => new Date(atMs - marginMs).toISOString();

const steps = [
  {
    name: 'close',
    does: 'suspends the CronJobs, pauses KEDA, takes the gateways out of their public Services',
    run: (cluster) => cluster.close(),
  },
  {
    name: 'stop',
    does: 'stops all five services',
    run: (cluster) => cluster.stop(),
  },
  {
    name: 'drop',
    does: 'drops the contents of the five databases',
    async run(cluster, { only }) {
      for (const service of chosen(services, only))
        await cluster.run(service, '--drop-database', await cluster.databaseOf(service));
    },
  },
  {
    name: 'load',
    does: 'loads the backup',
    run: (cluster, options) => cluster.load(options),
  },
  {
    name: 'rewind',
    does: 'rewinds the consumers of the billing-ledger and the event-stream to the backup',
    async run(cluster, { backupAtMs, only }) {
      for (const service of chosen(rewound, only))
        await cluster.run(service, '--rewind-consumers-to', before(backupAtMs));
    },
  },
  {
    name: 'ledger',
    does: 'starts the billing-ledger, and waits until it has booked everything again',
    async run(cluster) {
      await cluster.start('billing-ledger');
      await cluster.run('billing-ledger', '--await-consumers');
    },
  },
  {
    name: 'verify',
    does: 'verifies the journal, in the image of the billing-ledger',
    run: (cluster) => cluster.run('billing-ledger', '--verify'),
  },
  {
    name: 'start',
    does: 'increments LOG_EPOCH and starts the other services, the gateway last',
    async run(cluster) {
      await cluster.raiseEpoch();
      await cluster.start('event-stream');
      await cluster.run('event-stream', '--await-consumers');
      for (const service of ['revision-store', 'refresh-collector', 'gateway'])
        await cluster.start(service);
    },
  },
  {
    name: 'revoke',
    does: 'repeats the revocations, limits and erasures since the backup from the audit lines',
    run: (cluster, { backupAtMs, auditLines }) =>
      repeatRevocations(cluster.operator(), auditLines, { fromMs: backupAtMs - marginMs }),
  },
  {
    name: 'open',
    does: 'puts the gateways back into their Services, resumes CronJobs and KEDA',
    run: (cluster) => cluster.open(),
  },
];

module.exports = { steps };
