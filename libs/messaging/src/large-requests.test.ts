import { LargeRequests } from './large-requests';

const bytesOfLength = (bytes: number) => Buffer.alloc(bytes, 'x');
const LIMITS = {
  parsedBytes: 100,
  parsedBytesPerTenant: 60,
  waitingBytes: 100,
  waitingBytesPerTenant: 60,
  waitMilliseconds: 60_000,
  rate: { bytesPerSecond: 1_000_000, burstBytes: 1_000_000 },
};

describe('admission', () => {
  it('large requests of a tenant wait for its own share, while others are admitted', async () => {
    const requests = new LargeRequests(LIMITS);
    const first = await requests.admit('a', bytesOfLength(60));
    let admitted = false;
    const second = requests.admit('a', bytesOfLength(10)).then(() => (admitted = true));
    await requests.admit('b', bytesOfLength(40));
    expect(admitted).toBe(false);
    first.release();
    expect(await second).toBe(true);
  });

  it('large requests whose values stay text count by their bytes, whatever the texts contain', async () => {
    const requests = new LargeRequests({ ...LIMITS, rate: { bytesPerSecond: 1, burstBytes: 20 }, waitMilliseconds: 1 });
    const dense = Buffer.from('[{},{},{}]');
    for (let n = 0; n < 2; n += 1) (await requests.admit('a', dense, { raw: true })).release();
    const asText = await requests.admit('b', dense, { raw: true });
    expect(asText.bytes).toBeLessThan(60);
    asText.release();
    expect((await requests.admit('c', dense)).bytes).toBeGreaterThan(200);
  });

  it('large requests are refused when they wait too long', async () => {
    const requests = new LargeRequests({ ...LIMITS, waitMilliseconds: 1 });
    await requests.admit('a', bytesOfLength(60));
    await expect(requests.admit('a', bytesOfLength(1))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  describe('while the clock stands still', () => {
    // No tenant's bucket of bytes is refilled.
    let clock: jest.SpyInstance;
    beforeEach(() => {
      clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    });
    afterEach(() => clock.mockRestore());

    it('large requests of a tenant that sent too many bytes in a short time wait, or are refused, and those of others are not', async () => {
      const requests = new LargeRequests({
        ...LIMITS,
        waitMilliseconds: 50,
        rate: { bytesPerSecond: 1_000, burstBytes: 30 },
      });
      const admitAndRelease = async (tenant: string, bytes: number) =>
        (await requests.admit(tenant, bytesOfLength(bytes))).release();
      await admitAndRelease('a', 60);
      await admitAndRelease('a', 60);
      await expect(admitAndRelease('a', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await admitAndRelease('b', 60);
    });

    it('a large request that waited for the rate of its tenant is refused as unavailable when it finds no room afterwards', async () => {
      const rate = { bytesPerSecond: 7_000, burstBytes: 0 };
      const requests = new LargeRequests({ ...LIMITS, waitMilliseconds: 50, rate });
      await requests.admit('a', bytesOfLength(60));
      await expect(requests.admit('a', bytesOfLength(10))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
  });

  it('large requests without a tenant have no rate, because all of them would share one', async () => {
    const requests = new LargeRequests({ ...LIMITS, waitMilliseconds: 1, rate: { bytesPerSecond: 1, burstBytes: 0 } });
    for (let n = 0; n < 3; n += 1) (await requests.admit(undefined, bytesOfLength(60))).release();
    (await requests.admit('a', bytesOfLength(60))).release();
    await expect(requests.admit('a', bytesOfLength(60))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('large requests are refused at once when too many bytes wait', async () => {
    const requests = new LargeRequests(LIMITS);
    await requests.admit('a', bytesOfLength(60));
    void requests.admit('a', bytesOfLength(50)).catch(() => undefined);
    await expect(requests.admit('a', bytesOfLength(11))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('large requests count the memory that their parts take', async () => {
    const requests = new LargeRequests({
      ...LIMITS,
      parsedBytesPerTenant: 1_000,
      parsedBytes: 1_000,
      waitMilliseconds: 1,
    });
    await requests.admit('a', Buffer.from(`[${'{},'.repeat(9)}{}]`));
    await expect(requests.admit('a', bytesOfLength(80))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
