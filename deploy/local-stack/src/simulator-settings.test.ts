import { simulatorLimits, simulatorReading } from './simulator-settings.ts';

test('the collector never sends more in a minute than the simulator admits', () => {
  const { SIMULATOR_SLOTS, SIMULATOR_WINDOW_SECONDS } = simulatorLimits(8090);
  const reading = simulatorReading('http://127.0.0.1:8090');

  const sentMax =
    Number(reading['IDENTITY_BURST']) + Number(reading['IDENTITY_REQUESTS_PER_MINUTE']);
  expect(Number(SIMULATOR_WINDOW_SECONDS)).toBe(60);
  expect(sentMax).toBeLessThan(Number(SIMULATOR_SLOTS));
});
