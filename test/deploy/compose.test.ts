import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@inventory/contracts/topics';
import { callersOf } from '@inventory/local-stack/service-tokens';
import { topicJobSettings } from '@inventory/service-host/jobs';
import { parse } from 'yaml';
import {
  simulatorLimits,
  simulatorReading,
} from '../../deploy/local-stack/src/simulator-settings.ts';
import { root } from '../tidy/tracked-files.ts';
import { callingServices } from './support/calling-services.ts';
import { configOf, unknownSettings } from './support/known-settings.ts';
import { readCompose } from './support/read-compose.ts';

const { services, volumes } = readCompose();
const serviceOf = (name: string) => {
  const found = services[name];
  if (!found) throw new Error(`docker-compose.yml has no ${name}`);
  return found;
};
const readYaml = (path: string) => parse(readFileSync(join(root, path), 'utf8'));

describe('docker-compose.yml', () => {
  it.each(serviceNames)(
    'gives %s every setting it requires, and none it does not know',
    async (name) => {
      const environment = serviceOf(name).environment ?? {};
      const { loadConfig } = await configOf(name);
      expect(await unknownSettings(name, environment)).toEqual([]);
      expect(() => loadConfig(environment)).not.toThrow();
    },
  );

  it.each(serviceNames)('builds %s as itself, and gives it the time to stop', async (name) => {
    const { build, image, environment = {}, stop_grace_period } = serviceOf(name);
    expect(build?.args.SERVICE).toBe(name);
    expect(image).toBe(`game-item-inventory/${name}:local`);
    const { stopDeadlineMs } = (await configOf(name)).loadConfig(environment);
    expect(Number.parseInt(stop_grace_period ?? '', 10) * 1_000).toBeGreaterThan(stopDeadlineMs);
  });

  it.each(serviceNames)('lets %s be reached by the address that the others call', async (name) => {
    const { http } = (await configOf(name)).loadConfig(serviceOf(name).environment ?? {});
    expect(http.host).toBe('0.0.0.0');
    const setting =
      name === 'gateway' ? 'GATEWAY_URL' : `${name.toUpperCase().replace('-', '_')}_URL`;
    const addresses = Object.values(services).flatMap(
      ({ environment }) => environment?.[setting] ?? [],
    );
    expect(addresses.length).toBeGreaterThan(0);
    expect(new Set(addresses)).toEqual(new Set([`http://${name}:${http.port}`]));
  });

  it('gives each service that calls others a token of its own, and every service their digests', () => {
    const tokens = Object.fromEntries(
      callingServices.map((name) => [name, serviceOf(name).environment?.['SERVICE_TOKEN'] ?? '']),
    );
    expect(new Set(Object.values(tokens)).size).toBe(callingServices.length);
    for (const name of serviceNames) {
      const { SERVICE_CALLERS, SERVICE_TOKEN } = serviceOf(name).environment ?? {};
      expect(SERVICE_CALLERS).toBe(callersOf(Object.entries(tokens)));
      expect(SERVICE_TOKEN).toBe(tokens[name]);
    }
  });

  it('makes the topics by settings that the job reads, before any service starts', () => {
    const { environment = {}, entrypoint } = serviceOf('topics');
    expect(Object.keys(environment).filter((name) => !(name in topicJobSettings))).toEqual([]);
    expect(entrypoint?.at(-1)).toBe('--ensure-topics');
    for (const name of serviceNames) {
      const { depends_on } = serviceOf(name);
      expect(depends_on?.['topics']).toEqual({ condition: 'service_completed_successfully' });
      expect(depends_on?.['mongodb']).toEqual({ condition: 'service_healthy' });
    }
  });

  it('waits for no service that cannot become ready', () => {
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const awaited = serviceOf(name);
        const tellsHealth = awaited.healthcheck !== undefined || awaited.build !== undefined;
        expect({ name, condition, tellsHealth }).not.toMatchObject({
          condition: 'service_healthy',
          tellsHealth: false,
        });
      }
    }
  });

  it('reads the simulator as the local stack does', () => {
    expect(serviceOf('refresh-collector').environment).toMatchObject(
      simulatorReading('http://platform-simulator:8090'),
    );
    expect(serviceOf('platform-simulator').environment).toEqual({
      ...simulatorLimits(8090),
      SIMULATOR_HOST: '0.0.0.0',
    });
  });

  it('pins every image and opens nothing to other machines', () => {
    for (const { image, ports = [] } of Object.values(services)) {
      expect(image).toMatch(/:(v?\d|local$)/);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
  });

  it('lets every part but the gateway run more than once', () => {
    for (const name of serviceNames.filter((one) => one !== 'gateway')) {
      expect(serviceOf(name)).not.toHaveProperty('ports');
      expect(serviceOf(name)).not.toHaveProperty('container_name');
    }
  });

  it('writes to no container of ours and gives it no capability', () => {
    const ours = Object.entries(services).filter(([, { build }]) => build);
    expect(ours.map(([name]) => name)).toEqual(expect.arrayContaining([...serviceNames]));
    const { read_only, cap_drop } = serviceOf('topics');
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    for (const [, { read_only, cap_drop }] of ours) {
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
    }
  });

  it('builds each image once', () => {
    const built = Object.values(services).flatMap(({ build, image }) => (build ? [image] : []));
    expect(new Set(built).size).toBe(built.length);
    expect(built).toContain(serviceOf('topics').image);
  });

  it('checks the health of Kafka without a Java program each time', () => {
    expect(JSON.stringify(serviceOf('kafka').healthcheck)).not.toMatch(/\/opt\/kafka|java/);
  });

  it('leaves no anonymous volume behind: what the images declare is a named one or in memory', () => {
    expect(serviceOf('kafka').tmpfs).toEqual(['/etc/kafka/secrets', '/mnt/shared/config']);
    expect(serviceOf('mongodb').tmpfs).toEqual(['/data/configdb']);
  });

  it('mounts only files and volumes that are there', () => {
    for (const { volumes: mounts = [] } of Object.values(services)) {
      for (const mount of mounts) {
        const [source = ''] = mount.split(':');
        const isThere = source.startsWith('.') ? existsSync(join(root, source)) : source in volumes;
        expect(`${source}: ${isThere}`).toBe(`${source}: true`);
      }
    }
  });

  it('has every service scraped at the port it serves metrics on', () => {
    const { scrape_configs } = readYaml('deploy/compose/prometheus.yaml');
    const [{ names, port }] = scrape_configs[0].dns_sd_configs;
    expect(names.toSorted()).toEqual([...serviceNames].toSorted());
    for (const name of serviceNames) {
      expect(serviceOf(name).environment?.['HTTP_PORT']).toBe(String(port));
    }
  });

  it('has the public port probed from outside, as the alert of it expects', () => {
    const { scrape_configs } = readYaml('deploy/compose/prometheus.yaml');
    const [job] = scrape_configs.filter(
      ({ job_name }: { job_name: string }) => job_name === 'public-api',
    );
    const gateway = serviceOf('gateway').environment ?? {};

    expect(job.metrics_path).toBe('/probe');
    expect(job.static_configs).toEqual([
      { targets: [`http://gateway:${gateway['PUBLIC_HTTP_PORT']}/openapi.json`] },
    ]);
    const address = job.relabel_configs.at(-1);
    expect(address).toMatchObject({ target_label: '__address__', replacement: 'blackbox:9115' });
    expect(serviceOf('blackbox').image).toMatch(/^prom\/blackbox-exporter:/);
  });

  it('has what the collector measures of spans scraped, with its examples', () => {
    const { scrape_configs } = readYaml('deploy/compose/prometheus.yaml');
    const { exporters } = readYaml('deploy/compose/otel-collector.yaml');
    const [job] = scrape_configs.filter(
      ({ job_name }: { job_name: string }) => job_name === 'spans',
    );
    const port = exporters.prometheus.endpoint.split(':').at(-1);

    expect(job.static_configs).toEqual([{ targets: [`otel-collector:${port}`] }]);
    expect(serviceOf('prometheus').command).toContain('--enable-feature=exemplar-storage');
  });

  it('sends every trace to a receiver that the collector opens', () => {
    const { receivers } = readYaml('deploy/compose/otel-collector.yaml');
    const port = receivers.otlp.protocols.http.endpoint.split(':').at(-1);
    for (const name of serviceNames) {
      expect(serviceOf(name).environment?.['OTEL_EXPORTER_OTLP_ENDPOINT']).toBe(
        `http://otel-collector:${port}`,
      );
    }
  });
});
