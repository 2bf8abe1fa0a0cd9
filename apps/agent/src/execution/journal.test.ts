import type { ReportLine } from '@batuta/agent-protocol';
import { Mask } from '@batuta/masking';
import { Journal } from './journal';

test('a line has the link of its picture, and says so when the picture is not kept', async () => {
  const lines: ReportLine[] = [];
  const sink = (line: ReportLine) => Promise.resolve(void lines.push(line));
  const journal = new Journal(sink, new Mask(), () => 0);
  journal.enterStep('look');
  await journal.evidence('picture of a page', { link: '/v1/instances/i/evidence/e' });
  await journal.evidence('picture of a page', { link: undefined });
  await journal.error('failed', { link: '/v1/instances/i/evidence/f' });
  await journal.error('failed', { link: undefined });
  await journal.error('failed');
  expect(lines.map(({ message, evidence }) => [message, evidence])).toEqual([
    ['Step "look": picture of a page', '/v1/instances/i/evidence/e'],
    ['Step "look": picture of a page [picture not kept]', undefined],
    ['Step "look": failed', '/v1/instances/i/evidence/f'],
    ['Step "look": failed [picture not kept]', undefined],
    ['Step "look": failed', undefined],
  ]);
});
