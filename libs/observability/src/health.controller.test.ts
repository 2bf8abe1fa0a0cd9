import { Test } from '@nestjs/testing';
import type { INestApplication } from '@nestjs/common';
import { HealthController, READINESS_CHECKS } from './health.controller';
import { Liveness } from './liveness';
import { Metrics } from './metrics';
import { StopNotice } from './stop-notice';

const liveness = new Liveness();
const metrics = new Metrics('test');
let app: INestApplication;
beforeAll(async () => {
  const providers = [
    StopNotice,
    { provide: READINESS_CHECKS, useValue: [] },
    { provide: Metrics, useValue: metrics },
    { provide: Liveness, useValue: liveness },
  ];
  app = (
    await Test.createTestingModule({ controllers: [HealthController], providers }).compile()
  ).createNestApplication();
  await app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await app.close();
  metrics.close();
});

test('a service with a stuck task is not live, and says which task it is', async () => {
  const answer = async () => {
    const response = await fetch(`${await app.getUrl()}/health/live`);
    return [response.status, await response.json()];
  };
  expect(await answer()).toEqual([200, { ok: true }]);
  liveness.watch('starts', () => 200_000);
  expect(await answer()).toEqual([503, { ok: false, stuck: ['starts'] }]);
});
