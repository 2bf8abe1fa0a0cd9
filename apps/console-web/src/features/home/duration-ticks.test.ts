import { formatsIn } from '../../i18n/formats';
import { durationTicks } from './duration-ticks';

test.each([
  [0, ['0 ms', '1 ms']],
  [2_700, ['0 ms', '1 sec', '2 sec', '3 sec']],
  [95_000, ['0 ms', '30 sec', '1 min', '1 min 30 sec', '2 min']],
  [50 * 60_000, ['0 ms', '20 min', '40 min', '1 hr']],
  [5 * 24 * 3_600_000, ['0 ms', '48 hr', '96 hr', '144 hr']],
])('the axis of durations up to %d ms has ticks whose texts are not rounded', (longest, texts) => {
  const ticks = durationTicks([
    { p50Ms: null, p95Ms: null },
    { p50Ms: longest / 2, p95Ms: longest },
  ]);
  expect(ticks.map((tick) => formatsIn('en').duration(tick))).toEqual(texts);
});
