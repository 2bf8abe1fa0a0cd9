import { type Step } from '@batuta/flow';
import { waitUntil } from '../../../../test/support/wait-until';
import { createFlowWorld, endWithOutcome, useSandbox, variablesStep, type FlowWorld } from '../../test/flow-world';

const sandbox = useSandbox();

let world: FlowWorld;
beforeEach(() => {
  world = createFlowWorld(sandbox);
});

describe('stop, pause and resume', () => {
  const forever: Step[] = [
    { name: 'w', type: 'wait', seconds: 3600, routes: [{ to: 'after' }] },
    variablesStep('after'),
  ];

  test('a stop ends a wait at once', async () => {
    const end = world.run(forever);
    await waitUntil('it waits', () => world.slept.length === 1);
    world.control.setDesired('stop');
    expect(await end).toEqual(endWithOutcome('STOPPED'));
    expect(world.messages()).not.toContain('after');
  });

  test('a stop ends a looping script at once', async () => {
    const end = world.run([{ name: 's', type: 'script', code: 'for (;;) {}' }]);
    await waitUntil('it has begun', () => world.lines.length === 1);
    world.control.setDesired('stop');
    expect(await end).toEqual(endWithOutcome('STOPPED'));
  });

  test('a stopped step does not take its onError route', async () => {
    const end = world.run([{ name: 'w', type: 'wait', seconds: 3600, onError: [{ to: 'w' }] }]);
    await waitUntil('it waits', () => world.slept.length === 1);
    world.control.setDesired('stop');
    expect(await end).toEqual(endWithOutcome('STOPPED'));
  });

  test('a paused execution continues when it is resumed', async () => {
    world.control.setDesired('pause');
    const end = world.run([variablesStep('one')]);
    await waitUntil('it is paused', () => world.messages().includes('paused'));
    expect(world.messages()).not.toContain('started');
    world.control.setDesired('run');
    expect(await end).toEqual(endWithOutcome('FINALIZED'));
  });

  test('a paused execution can be stopped', async () => {
    world.control.setDesired('pause');
    const end = world.run([variablesStep('one')]);
    await waitUntil('it is paused', () => world.messages().includes('paused'));
    world.control.setDesired('stop');
    expect(await end).toEqual(endWithOutcome('STOPPED'));
    expect(world.messages()).not.toContain('started');
  });
});

describe('suspension', () => {
  const call = (retries: number): Step => ({
    name: 'call',
    type: 'rest',
    method: 'POST',
    url: 'http://127.0.0.1/',
    retries,
  });

  /** A world that records its calls in `order`, to which a test adds the moment of the resumption; the first call is answered with 503. */
  function createCallWorld(onCall: () => void = () => undefined) {
    const order: string[] = [];
    const fetcher: typeof fetch = () => {
      order.push('call');
      onCall();
      return Promise.resolve(new Response('{}', { status: order.length === 1 ? 503 : 200 }));
    };
    return { order, ...createFlowWorld(sandbox, { fetch: fetcher }) };
  }

  /** Resolves once another execution of the same steps, which is not suspended, has made its call. */
  const untilAnotherHasRun = (steps: Step[]) => createCallWorld().run(steps);

  test('a suspended execution begins no call before it may act again', async () => {
    const suspended = createCallWorld();
    suspended.control.setSuspended(true);
    const end = suspended.run([call(0)]);
    await waitUntil('the step has begun', () => suspended.messages().includes('started'));
    await untilAnotherHasRun([call(0)]);
    suspended.order.push('may act again');
    suspended.control.setSuspended(false);
    expect(await end).toEqual(endWithOutcome('FINALIZED'));
    expect(suspended.order).toEqual(['may act again', 'call']);
    expect(suspended.messages()).not.toContain('suspended');
  });

  test('a suspended execution does not repeat a failed call before it may act again', async () => {
    const suspended = createCallWorld(() => suspended.control.setSuspended(suspended.order.length === 1));
    const end = suspended.run([call(1)]);
    await waitUntil('a repetition is planned', () => suspended.messages().includes('attempt 2 of 2'));
    await untilAnotherHasRun([call(1)]);
    suspended.order.push('may act again');
    suspended.control.setSuspended(false);
    expect(await end).toEqual(endWithOutcome('FINALIZED'));
    expect(suspended.order).toEqual(['call', 'may act again', 'call']);
  });

  test('an execution begins no call after the grace period, although the agent has not suspended it yet', async () => {
    const sleptWorld = createCallWorld();
    sleptWorld.control.setContact({ at: Date.now(), graceMs: 3_600_000 });
    const now = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000);
    try {
      const end = sleptWorld.run([call(0)]);
      await waitUntil('the step has begun', () => sleptWorld.messages().includes('started'));
      await untilAnotherHasRun([call(0)]);
      sleptWorld.order.push('may act again');
      sleptWorld.control.setContact({ at: Date.now(), graceMs: 3_600_000 });
      expect(await end).toEqual(endWithOutcome('FINALIZED'));
      expect(sleptWorld.order).toEqual(['may act again', 'call']);
    } finally {
      clock.mockRestore();
    }
  });

  test('a contact that an execution reads late begins no whole grace period', () => {
    const { control } = createCallWorld();
    control.setContact({ at: Date.now() - 3_600_000, graceMs: 3_600_000 });
    expect(control.suspended).toBe(true);
    control.setContact({ at: Date.now(), graceMs: 3_600_000 });
    expect(control.suspended).toBe(false);
  });

  test('a suspended execution can be stopped', async () => {
    const suspended = createCallWorld();
    suspended.control.setSuspended(true);
    const end = suspended.run([call(0)]);
    await waitUntil('the step has begun', () => suspended.messages().includes('started'));
    suspended.control.drop();
    expect(await end).toEqual(endWithOutcome('STOPPED'));
    expect(suspended.order).toEqual([]);
  });
});
