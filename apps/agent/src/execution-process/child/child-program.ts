import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { Control } from '../../execution/control';
import type { Effects } from '../../execution/effects';
import { runFlow } from '../../flow/run-flow';
import { trustAuthoritiesIn } from '../../network/trusted-authorities';
import { Sandbox } from '../../sandbox';
import { commonEffects } from '../flow-effects';
import { killGroup } from '../kill-group';
import type { ChildSetup, ControlState, RunMessage } from '../messages';
import { AgentChannel } from './agent-channel';
import { warmUp } from './warm-up';
import { StartedPrograms } from './started-programs';

const USAGE_REPORT_INTERVAL_MS = 1_000;

/**
 * The program of a process for one execution. It loads its modules, waits for its execution, runs it, and waits for the agent
 * to end it.
 */
export async function runChild(setup: ChildSetup): Promise<void> {
  const control = new Control();
  const programs = new StartedPrograms((pid, runs) => channel.send({ kind: 'program', pid, runs }));
  const channel: AgentChannel = new AgentChannel(
    (message) => {
      if (message.kind === 'control') follow(message.control);
      if (message.kind === 'run') void run(message);
    },
    () => {
      // First kills the started programs, which may still write into the folder, and then ends this process even if the
      // files could not be removed.
      for (const program of programs.list()) killGroup(program);
      try {
        rmSync(setup.folder, { recursive: true, force: true, maxRetries: 3 });
      } finally {
        killGroup(process.pid);
      }
    },
  );
  // Signals are ignored: a service manager sends them to every process of the service, but the agent decides when an
  // execution ends.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  reportFatalErrors(channel);
  if (setup.caFile !== undefined) trustAuthoritiesIn(setup.caFile);
  const sandbox = new Sandbox({ ...setup.sandbox, workers: 1 });
  if (setup.reportsUsage) reportUsage(channel);
  await sandbox.warm();
  if (setup.warmsUp) await warmUp(sandbox);
  if (setup.storesModules) flushCompileCache();
  channel.send({ kind: 'ready' });

  function follow({ desired, suspended, contact }: ControlState): void {
    control.setContact(contact);
    control.setSuspended(suspended);
    control.setDesired(desired);
  }

  async function run({ offer, flow, settings, control: state }: RunMessage): Promise<void> {
    follow(state);
    const effects: Effects = {
      ...commonEffects(settings, sandbox),
      control,
      log: (line) => channel.sendLine(line),
      answer: (response) => channel.send({ kind: 'answer', response }),
      logInternalError: (text) => channel.send({ kind: 'fault', text }),
      evidence: { keep: (picture) => channel.keepPicture(picture) },
      ...(offer.traceparent !== undefined && { stepEnded: (step) => channel.send({ kind: 'step', step }) }),
    };
    const end = await runFlow(offer, effects, flow);
    channel.send({ kind: 'end', end });
  }
}

/** Reports only the place of a fatal error in the code, because its message may contain a secret. */
function reportFatalErrors(channel: AgentChannel): void {
  process.on('uncaughtException', (error) => {
    const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    const text = [`uncaught ${error.name}`, ...frames].join('\n');
    channel.send({ kind: 'fault', text }, () => process.exit(1));
  });
}

function reportUsage(channel: AgentChannel): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    const usage = { memoryBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
    channel.send({ kind: 'usage', usage });
  }, USAGE_REPORT_INTERVAL_MS).unref();
}
