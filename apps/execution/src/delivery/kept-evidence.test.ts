import { MAX_EVIDENCE_BYTES, type ReportLine } from '@batuta/agent-protocol';
import { limitEvidence } from './kept-evidence';

const line = (evidence?: string | null): ReportLine => ({
  timestamp: '2026-01-01T00:00:00Z',
  severity: 'INFO',
  message: 'm',
  stepID: 's',
  evidence,
});

test('evidence is kept while the instance has room for it, counted in bytes', () => {
  const lines = [line('é'.repeat(10)), line(null), line(), line('x')];
  expect(limitEvidence(lines, MAX_EVIDENCE_BYTES - 21)).toEqual({ lines, bytes: 21 });
});

test('a line beyond the limit is kept without its evidence and says so, and smaller evidence still finds room', () => {
  const { lines, bytes } = limitEvidence([line('x'.repeat(11)), line('y'.repeat(10))], MAX_EVIDENCE_BYTES - 10);
  expect(lines).toEqual([
    { ...line(null), message: 'm [evidence of 11 bytes not kept: an instance keeps 64 MB]' },
    line('y'.repeat(10)),
  ]);
  expect(bytes).toBe(10);
});
