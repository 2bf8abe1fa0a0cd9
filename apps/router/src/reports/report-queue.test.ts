import { ReportQueue } from './report-queue';

const report = (instanceID: string, seq: number) => ({ type: 'report' as const, instanceID, fence: 1, seq, lines: [] });
const MB = 1024 * 1024;

test('keeps the order of each instance and says who begins', () => {
  const queue = new ReportQueue();
  expect([queue.add(report('a', 1), 10), queue.add(report('a', 2), 10), queue.add(report('b', 1), 10)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(queue.next('a')?.seq).toBe(1);
  queue.done('a');
  expect(queue.next('a')?.seq).toBe(2);
  queue.done('a');
  expect(queue.next('a')).toBeUndefined();
  expect(queue.next('b')?.seq).toBe(1);
  expect(queue.size).toBe(1);
});

test('is full by bytes, and has slack again at half of them', () => {
  const queue = new ReportQueue();
  queue.add(report('a', 1), 5 * MB);
  expect([queue.full, queue.slack]).toEqual([false, false]);
  queue.add(report('a', 2), 3 * MB);
  expect([queue.full, queue.slack]).toEqual([true, false]);
  queue.done('a');
  expect([queue.full, queue.slack]).toEqual([false, true]);
});

test('is full by number', () => {
  const queue = new ReportQueue();
  for (let seq = 1; seq <= 1_000; seq += 1) queue.add(report('a', seq), 1);
  expect(queue.full).toBe(true);
  queue.drop('a');
  expect([queue.full, queue.slack, queue.size]).toEqual([false, true, 0]);
});
