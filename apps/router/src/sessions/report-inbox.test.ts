import { AgentMemory } from './agent-memory';
import { ReportInbox } from './report-inbox';

const report = (instanceID: string, seq: number) => ({ type: 'report' as const, instanceID, fence: 1, seq, lines: [] });
const MB = 1024 * 1024;

test('keeps the order of each instance, and reports whether a report is its only one', () => {
  const inbox = new ReportInbox();
  expect([inbox.add(report('a', 1), 10), inbox.add(report('a', 2), 10), inbox.add(report('b', 1), 10)]).toEqual([
    true,
    false,
    true,
  ]);
  expect(inbox.first('a')?.seq).toBe(1);
  inbox.removeFirst('a');
  expect(inbox.first('a')?.seq).toBe(2);
  inbox.removeFirst('a');
  expect(inbox.first('a')).toBeUndefined();
  expect(inbox.first('b')?.seq).toBe(1);
  expect(inbox.size).toBe(1);
});

test('is full at the maximum number of bytes, and has slack again at half of it', () => {
  const inbox = new ReportInbox();
  inbox.add(report('a', 1), 5 * MB);
  expect([inbox.full, inbox.hasSlack]).toEqual([false, false]);
  inbox.add(report('a', 2), 3 * MB);
  expect([inbox.full, inbox.hasSlack]).toEqual([true, false]);
  inbox.removeFirst('a');
  expect([inbox.full, inbox.hasSlack]).toEqual([false, true]);
});

test('is full at the maximum number of reports', () => {
  const inbox = new ReportInbox();
  for (let seq = 1; seq <= 1_000; seq += 1) inbox.add(report('a', seq), 1);
  expect(inbox.full).toBe(true);
  inbox.removeAll('a');
  expect([inbox.full, inbox.hasSlack, inbox.size]).toEqual([false, true, 0]);
});

test('counts its bytes in the memory of its environment until it is released', () => {
  const { reports } = new AgentMemory();
  const [inbox, other] = [new ReportInbox(reports.hold('e')), new ReportInbox(reports.hold('e'))];
  inbox.add(report('a', 1), 7 * MB);
  other.add(report('b', 1), 7 * MB);
  expect([reports.usedBytesOf('e'), other.fitsMemory]).toEqual([14 * MB, true]);
  other.add(report('b', 2), 3 * MB);
  expect(other.fitsMemory).toBe(false);
  inbox.removeFirst('a');
  other.removeFirst('b');
  expect([reports.usedBytesOf('e'), other.fitsMemory]).toEqual([3 * MB, true]);
  other.release();
  other.removeAll('b');
  expect(reports.usedBytes).toBe(0);
});
