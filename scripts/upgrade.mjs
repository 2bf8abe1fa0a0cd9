// npm run upgrade: upgrades an installation of the previous release under load to this build, service by service, and goes back.
import { readOptions, USAGE } from '../test/upgrade/options.mjs';
import { runMeasurement } from './lib/measurement.mjs';

async function measure(run) {
  const { runUpgrade } = await import('../test/upgrade/run.mjs');
  const { reportText } = await import('../test/upgrade/report.mjs');
  const results = await runUpgrade(run);
  return { report: reportText(results), results, exitCode: results.broken.length > 0 ? 1 : 0 };
}

await runMeasurement({ readOptions, usage: USAGE, measure });
