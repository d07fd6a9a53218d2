'use strict';

/** Jobs of a restore. */
const partOf = 'game-item-inventory';
/** Not the name of a service, whose Service would send it requests; part-of is what its policies select. */
const labels = { 'app.kubernetes.io/name': 'restore', 'app.kubernetes.io/part-of': partOf };

/** The program of a service with other arguments: with its image, settings, secrets and files. */
function programJob(deployment, { name, args }) {
  const { containers, serviceAccountName, securityContext, volumes } =
    deployment.spec.template.spec;
  const [{ image, env, envFrom, volumeMounts, resources, securityContext: confined }] = containers;
  const container = { name: 'restore', image, command: ['node', 'main.js', ...args], env, envFrom };
  return jobOf(name, {
    serviceAccountName,
    securityContext,
    volumes,
    containers: [{ ...container, volumeMounts, resources, securityContext: confined }],
  });
}

/**
 * `mongorestore` of a dump that `mongodump --oplog --archive` made of the whole replica set, from a volume
 * claim. The Secret mongodb-restore has the MONGODB_URI of a user with the role `restore`; its
 * certificate authority, if it needs one, is at /etc/mongodb-client/ca.crt.
 */
function loadJob({ claim, archive, image }) {
  const command = `exec mongorestore --uri "$MONGODB_URI" --oplogReplay --archive="/backup/$ARCHIVE"`;
  const uri = { secretKeyRef: { name: 'mongodb-restore', key: 'MONGODB_URI' } };
  return jobOf('restore-load', {
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: 999, runAsGroup: 999, fsGroup: 999 },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    volumes: [
      { name: 'backup', persistentVolumeClaim: { claimName: claim, readOnly: true } },
      { name: 'mongodb-client', secret: { secretName: 'mongodb-client', optional: true } },
      { name: 'scratch', emptyDir: {} },
    ],
    containers: [
      {
        name: 'restore',
        image,
        command: ['sh', '-c', command],
        env: [
          { name: 'MONGODB_URI', valueFrom: uri },
          { name: 'ARCHIVE', value: archive },
        ],
        volumeMounts: [
          { name: 'backup', mountPath: '/backup', readOnly: true },
          { name: 'mongodb-client', mountPath: '/etc/mongodb-client', readOnly: true },
          { name: 'scratch', mountPath: '/tmp' },
        ],
        resources: {
          requests: { cpu: '250m', memory: '512Mi' },
          limits: { cpu: '2', memory: '2Gi' },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  });
}

function jobOf(name, pod) {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels },
    spec: {
      // A step is repeated by its command, after its log was read.
      backoffLimit: 0,
      ttlSecondsAfterFinished: 604_800,
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          restartPolicy: 'Never',
          ...pod,
        },
      },
    },
  };
}

module.exports = { loadJob, programJob };
