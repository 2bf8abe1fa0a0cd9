import { PayloadMemory } from './payload-memory';

const MEGABYTE = 1_048_576;
const bodyWithObjects = Buffer.from(`[${'{},'.repeat(10_000)}{}]`);

afterEach(() => jest.restoreAllMocks());

describe('memory', () => {
  it('the memory of payloads counts the parsed size of a large payload while it is used, and nothing of a small one', async () => {
    const memory = new PayloadMemory();
    const usedBytes = () => Promise.resolve(memory.budget.usedBytesOf('p'));
    expect(await memory.run('p', bodyWithObjects, usedBytes)).toBeGreaterThan(20 * bodyWithObjects.length);
    expect(await memory.run('p', Buffer.from('{}'), usedBytes)).toBe(0);
    await expect(memory.run('p', bodyWithObjects, () => Promise.reject(new Error('refused')))).rejects.toThrow(
      'refused',
    );
    expect(memory.budget.usedBytes).toBe(0);
  });

  it('the memory of payloads makes large payloads of a process wait, and refuses them after the time limit, before they are parsed', async () => {
    const memory = new PayloadMemory();
    const others = memory.budget.hold('p');
    others.resize(32 * MEGABYTE);
    const work = jest.fn(async () => 'done');
    const waiting = memory.run('p', bodyWithObjects, work);
    expect(await memory.run('other', bodyWithObjects, async () => 'done')).toBe('done');
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    await expect(memory.run('p', bodyWithObjects, work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(work).not.toHaveBeenCalled();
    others.release();
    expect(await waiting).toBe('done');
  });
});
