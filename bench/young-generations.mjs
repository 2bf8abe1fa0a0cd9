import { Agent } from 'node:http';
import { ROOT } from '../scripts/lib/find-servers.cjs';
import { loadReport, refusalLines, startBuild } from './compare-builds.mjs';
import { createGenerator } from './load/generators.mjs';
import { withRunningPrograms } from './running-programs.mjs';
import { IMAGE_ENV, SERVICES } from './programs.mjs';
import { table } from './report.mjs';
import { measureThroughput } from './throughput.mjs';
import { residentMegabytes } from './usage.mjs';

const SEMI_SPACE = /--max-semi-space-size=\d+/;

/**
 * Measures throughput and processor time of this build with each of several sizes of V8's young generation, in turns, and its memory
 * afterwards. `options.young` has the sizes of one half of the young generation (a semi-space) in megabytes (2^20 bytes). Each size has its
 * own database, NATS, services and agents. Returns the report as text.
 */
export async function compareYoungGenerations({ options, say, signal }) {
  const http = new Agent({ keepAlive: true, maxSockets: 1 });
  return withRunningPrograms(signal, async (running) => {
    running.push({ stop: () => http.destroy() });
    const builds = [];
    for (const megabytes of options.young) {
      say(`Starting with ${megabytes} MB …`);
      const env = { NODE_OPTIONS: IMAGE_ENV.NODE_OPTIONS.replace(SEMI_SPACE, `--max-semi-space-size=${megabytes}`) };
      builds.push(await startBuild({ name: `${megabytes} MB`, folder: ROOT, env, http, running }));
    }
    const load = createGenerator(options.generator, builds[0].servers.folder);
    running.push(load);
    say('Measuring under load …');
    const cells = await measureThroughput({ load, targets: builds.flatMap(({ targets }) => targets), options, say });
    return [loadReport(cells), memoryReport(builds), ...refusalLines(builds)].join('\n\n');
  });
}

function memoryReport(builds) {
  const rows = builds.map(({ name, targets: [{ pids }] }) => [
    name,
    ...SERVICES.map((service) => residentMegabytes(pids[service]).toFixed(0)),
  ]);
  return ['Resident memory after the load, MB', ...table(['young generation', ...SERVICES], rows)].join('\n');
}
