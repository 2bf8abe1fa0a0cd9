// npm run abuse: measures the starts of one tenant alone, and beside a hostile tenant; they must stay as fast.
import { readOptions, USAGE } from '../test/abuse/options.mjs';
import { runMeasurement } from './lib/measurement.mjs';

async function measure(run) {
  const { runAbuseTest } = await import('../test/abuse/run.mjs');
  const { reportText } = await import('../test/abuse/report.mjs');
  const results = await runAbuseTest(run);
  return { report: reportText(results), results, exitCode: results.faults.length > 0 ? 1 : 0 };
}

await runMeasurement({ readOptions, usage: USAGE, measure });
