import { ByteBudget } from './byte-budget';

const recordAdmissions = (budget: ByteBudget) => {
  const admitted: string[] = [];
  const reserve = (tenant: string, bytes: number, name: string) => {
    const reservation = budget.reserve(tenant, bytes);
    void reservation.then(() => admitted.push(name));
    return reservation;
  };
  return { admitted, reserve };
};

const settlePromises = () => new Promise((resolve) => setImmediate(resolve));

describe('reservations', () => {
  it('a ByteBudget refuses what exceeds the share of a tenant or the total, and says which', () => {
    const budget = new ByteBudget({ totalBytes: 100, perTenantBytes: 60 });
    expect(budget.tryReserve('a', 60)).toBeDefined();
    expect(budget.tryReserve('a', 1)).toBeUndefined();
    expect(budget.limitExceededBy('a', 1)).toBe('tenant');
    expect(budget.tryReserve('b', 40)).toBeDefined();
    expect(budget.limitExceededBy('c', 1)).toBe('total');
    expect([budget.usedBytes, budget.usedBytesOf('a'), budget.usedBytesOf('c')]).toEqual([100, 60, 0]);
  });

  it('a ByteBudget refuses what exceeds the share of a group of tenants, and admits a tenant of another group', () => {
    const groupOf = (tenant: string) => tenant.slice(0, 1);
    const budget = new ByteBudget({ totalBytes: 100, perTenantBytes: 30, perGroup: { bytes: 50, groupOf } });
    const [first] = ['a1', 'a2'].map((tenant) => budget.tryReserve(tenant, 25));
    expect([budget.limitExceededBy('a3', 1), budget.limitExceededBy('b1', 30)]).toEqual(['tenant', undefined]);
    expect(first?.resize(26)).toBe(false);
    first?.release();
    expect(budget.tryReserve('a3', 25)).toBeDefined();
  });

  it('a ByteBudget lets a tenant of another group pass those that wait for the share of theirs', async () => {
    const groupOf = (tenant: string) => tenant.slice(0, 1);
    const budget = new ByteBudget({ totalBytes: 100, perGroup: { bytes: 50, groupOf } });
    const { admitted, reserve } = recordAdmissions(budget);
    budget.tryReserve('a1', 50);
    void reserve('a2', 10, 'a2');
    void reserve('b1', 50, 'b1');
    await settlePromises();
    expect(admitted).toEqual(['b1']);
  });

  it('a ByteBudget gives up a reservation that does not fit within its time limit, or whose signal aborts', async () => {
    const budget = new ByteBudget({ totalBytes: 100 });
    expect(await budget.reserveWithin('a', 100, 60_000)).toBeDefined();
    expect(await budget.reserveWithin('b', 1, 1)).toBeUndefined();
    expect(await budget.reserveWithin('b', 1, 60_000, AbortSignal.abort())).toBeUndefined();
    expect(budget.usedBytes).toBe(100);
  });

  it('a ByteBudget frees the bytes of a reservation once, however often it is released', () => {
    const budget = new ByteBudget({ totalBytes: 100 });
    const first = budget.tryReserve('a', 50);
    budget.tryReserve('a', 30);
    first?.release();
    first?.release();
    expect(first?.resize(70)).toBe(true);
    expect([budget.usedBytes, budget.usedBytesOf('a')]).toEqual([30, 30]);
  });

  it('a ByteBudget counts a resized reservation even above the limits, and returns whether the limits still hold', () => {
    const budget = new ByteBudget({ totalBytes: 100, perTenantBytes: 60 });
    const reservation = budget.tryReserve('a', 10);
    expect(reservation?.resize(61)).toBe(false);
    expect([budget.usedBytes, reservation?.bytes]).toEqual([61, 61]);
    expect(budget.limitExceededBy('a', 0)).toBe('tenant');
    expect(reservation?.resize(60)).toBe(true);
    expect([budget.hold('b').resize(50), budget.usedBytes]).toEqual([false, 110]);
  });

  it('a ByteBudget resizes a reservation only if it fits beside the others, and returns the limit that it exceeds', () => {
    const budget = new ByteBudget({ totalBytes: 100, perTenantBytes: 60 });
    const first = budget.hold('a');
    expect(first.tryResize(500)).toBeUndefined();
    expect(first.tryResize(40)).toBeUndefined();
    const second = budget.hold('a');
    expect([second.tryResize(21), second.bytes]).toEqual(['tenant', 0]);
    expect(second.tryResize(20)).toBeUndefined();
    const other = budget.hold('b');
    expect([other.tryResize(41), budget.usedBytes]).toEqual(['total', 60]);
    expect([other.tryResize(40), budget.usedBytes]).toEqual([undefined, 100]);
  });

  it('a ByteBudget admits a request above a limit while nothing else is reserved', async () => {
    const budget = new ByteBudget({ totalBytes: 100, perTenantBytes: 60 });
    const whole = budget.tryReserve('a', 500);
    expect(whole).toBeDefined();
    const { admitted, reserve } = recordAdmissions(budget);
    void reserve('b', 500, 'large');
    whole?.resize(50);
    await settlePromises();
    expect(admitted).toEqual([]);
    whole?.release();
    await settlePromises();
    expect(admitted).toEqual(['large']);
  });

  it('a ByteBudget admits the requests of a tenant in their order, and tenants in turn', async () => {
    const budget = new ByteBudget({ totalBytes: 10 });
    const full = budget.tryReserve('x', 10);
    const { admitted, reserve } = recordAdmissions(budget);
    const waiting = [reserve('a', 10, 'a1'), reserve('a', 10, 'a2'), reserve('a', 10, 'a3'), reserve('b', 10, 'b1')];
    full?.release();
    for (const reservation of [waiting[0], waiting[3], waiting[1], waiting[2]]) (await reservation)?.release();
    expect(admitted).toEqual(['a1', 'b1', 'a2', 'a3']);
    expect(budget.usedBytes).toBe(0);
  });

  it('a ByteBudget lets nobody overtake a request that waits for the total', async () => {
    const budget = new ByteBudget({ totalBytes: 10 });
    const small = budget.tryReserve('a', 4);
    const { admitted, reserve } = recordAdmissions(budget);
    void reserve('b', 10, 'large');
    expect(budget.tryReserve('c', 1)).toBeUndefined();
    expect(budget.limitExceededBy('c', 1)).toBe('total');
    small?.release();
    await settlePromises();
    expect(admitted).toEqual(['large']);
  });

  it('a ByteBudget lets others pass a tenant that waits for its own share', async () => {
    const budget = new ByteBudget({ totalBytes: 10, perTenantBytes: 5 });
    budget.tryReserve('a', 5);
    const { admitted, reserve } = recordAdmissions(budget);
    void reserve('a', 1, 'a');
    void reserve('b', 5, 'b');
    await settlePromises();
    expect(admitted).toEqual(['b']);
    expect(budget.limitExceededBy('a', 0)).toBe('tenant');
  });

  it('a ByteBudget forgets a request whose signal aborts, and admits those behind it', async () => {
    const budget = new ByteBudget({ totalBytes: 10 });
    budget.tryReserve('a', 5);
    const stopped = new AbortController();
    const large = budget.reserve('b', 10, stopped.signal);
    const { admitted, reserve } = recordAdmissions(budget);
    void reserve('c', 5, 'small');
    stopped.abort(new Error('the caller is gone'));
    await expect(large).rejects.toThrow('the caller is gone');
    await settlePromises();
    expect(admitted).toEqual(['small']);
    await expect(budget.reserve('b', 1, stopped.signal)).rejects.toThrow('the caller is gone');
  });
});
