import { AgentMemory } from './agent-memory';
import { ReportInbox } from './report-inbox';

const reportFrame = (instanceID: string, seq: number) => ({
  type: 'report' as const,
  instanceID,
  fence: 1,
  seq,
  lines: [],
});
const MEGABYTE = 1024 * 1024;

test('a report inbox keeps the order of each instance, and reports whether a report is its only one', () => {
  const inbox = new ReportInbox();
  expect([
    inbox.add(reportFrame('a', 1), 10),
    inbox.add(reportFrame('a', 2), 10),
    inbox.add(reportFrame('b', 1), 10),
  ]).toEqual([true, false, true]);
  expect(inbox.oldest('a')?.seq).toBe(1);
  inbox.removeOldest('a');
  expect(inbox.oldest('a')?.seq).toBe(2);
  inbox.removeOldest('a');
  expect(inbox.oldest('a')).toBeUndefined();
  expect(inbox.oldest('b')?.seq).toBe(1);
  expect(inbox.size).toBe(1);
});

test('a report inbox is full at the maximum number of bytes, and has slack again at half of them', () => {
  const inbox = new ReportInbox();
  inbox.add(reportFrame('a', 1), 5 * MEGABYTE);
  expect([inbox.isFull, inbox.hasSlack]).toEqual([false, false]);
  inbox.add(reportFrame('a', 2), 3 * MEGABYTE);
  expect([inbox.isFull, inbox.hasSlack]).toEqual([true, false]);
  inbox.removeOldest('a');
  expect([inbox.isFull, inbox.hasSlack]).toEqual([false, true]);
});

test('a report inbox is full at the maximum number of reports', () => {
  const inbox = new ReportInbox();
  for (let seq = 1; seq <= 1_000; seq += 1) inbox.add(reportFrame('a', seq), 1);
  expect(inbox.isFull).toBe(true);
  inbox.removeAll('a');
  expect([inbox.isFull, inbox.hasSlack, inbox.size]).toEqual([false, true, 0]);
});

test('a report inbox counts its bytes in the memory of its environment until it is released', () => {
  const { reports } = new AgentMemory();
  const [inbox, other] = [new ReportInbox(reports.hold('e')), new ReportInbox(reports.hold('e'))];
  inbox.add(reportFrame('a', 1), 7 * MEGABYTE);
  other.add(reportFrame('b', 1), 7 * MEGABYTE);
  expect([reports.usedBytesOf('e'), other.fitsMemory]).toEqual([14 * MEGABYTE, true]);
  other.add(reportFrame('b', 2), 3 * MEGABYTE);
  expect(other.fitsMemory).toBe(false);
  inbox.removeOldest('a');
  other.removeOldest('b');
  expect([reports.usedBytesOf('e'), other.fitsMemory]).toEqual([3 * MEGABYTE, true]);
  other.release();
  other.removeAll('b');
  expect(reports.usedBytes).toBe(0);
});
