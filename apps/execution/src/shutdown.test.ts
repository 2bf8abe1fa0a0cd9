import { execution } from '@batuta/contracts';
import { openEndlessRequest, untilClosed } from '../../../test/support/endless-request';
import { holdTimers } from '../../../test/support/held-timers';
import { waitUntil } from '../../../test/support/wait-until';
import { claim, createProcessWithAgent, idsOf, start, untilClaimWaits } from '../test/claims';
import { countOf, startRequest, startWorld } from '../test/world';
import { createExecution } from './app';
import { readExecutionConfig } from './config';
import { LostInstanceService } from './delivery/lost-instance.service';

test('a service that stops answers its pending claims and the starts in flight', async () => {
  const world = await startWorld();
  const at = await createProcessWithAgent(world);
  await start(world, startRequest(at));
  expect(await claim(world, at)).toHaveLength(1);
  const stop = new AbortController();
  const claimUntilStop = async () => {
    let work = await claim(world, at);
    while (work.length === 0 && !stop.signal.aborted) work = await claim(world, at);
    return work;
  };
  const reply = claimUntilStop();
  await untilClaimWaits(at);
  const request = startRequest(at);
  // The timers of the time limit are held, because a busy machine may need longer to stop.
  const timeLimit = holdTimers(2_000);
  const { started, stopped } = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM credit_account WHERE company_id = ? FOR UPDATE', [at.companyID]);
    const starting = start(world, request);
    // This request follows the start, and its reply proves that the start is in flight and waits for the lock.
    await world.rpc.call(execution.inUse, { environmentID: at.environmentID });
    stop.abort();
    const stopping = world.stopServices();
    expect(await reply).toEqual([]);
    return { started: starting, stopped: stopping };
  });
  expect(await started).toEqual({ instanceID: request.instanceID, status: 'started' });
  await stopped;
  timeLimit.release();
  expect(await countOf(world.store, 'instance', "instance_id = ? AND status = 'queued'", [request.instanceID])).toBe(1);
  await world.close();
});

test('a service that stops serves claims until the running sweep has ended', async () => {
  const world = await startWorld();
  const at = await createProcessWithAgent(world);
  let endSweep = () => {};
  const sweep = jest
    .spyOn(LostInstanceService.prototype, 'sweep')
    .mockImplementation(() => new Promise((resolve) => (endSweep = () => resolve([]))));
  const service = await createExecution({ ...readExecutionConfig(world.env), SWEEP_MS: 50 });
  await waitUntil('a sweep runs', () => sweep.mock.calls.length === 1);
  await world.stopServices();
  const reply = claim(world, at);
  await untilClaimWaits(at);
  const stopped = service.close();
  const request = startRequest(at);
  await start(world, request);
  expect(idsOf(await reply)).toEqual([request.instanceID]);
  endSweep();
  await stopped;
  sweep.mockRestore();
  await world.close();
});

test('a service stops although a request to its health port never ends', async () => {
  const world = await startWorld();
  const service = await createExecution(readExecutionConfig(world.env));
  const client = await openEndlessRequest(service.url);
  await service.close();
  await untilClosed(client);
  expect(client.destroyed).toBe(true);
  await world.close();
});
