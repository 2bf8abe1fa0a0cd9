import { join } from 'node:path';
import type { OfferFrame, ReportEnd, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import { createLogger } from '@batuta/logging';
import { waitUntil } from '../../../test/support/wait-until';
import type { Picture } from '../src/evidence/evidence-sink';
import { readAgentConfig } from '../src/config';
import { processRunner } from '../src/execution-process/process-runner';
import type { Runner } from '../src/execution-process/runner';
import { Control } from '../src/execution/control';
import { offerOf } from './fake-router';

/** A program that misbehaves in ways that no flow can (misbehaving-run.js). */
export const MISBEHAVING_PROGRAM = join(__dirname, 'misbehaving-run.js');
/** A program that hangs when it is started for the first time, and starts normally from then on (hanging-run.js). */
export const HANGING_PROGRAM = join(__dirname, 'hanging-run.js');
/** A program that always hangs when it is started (silent-run.js). */
export const SILENT_PROGRAM = join(__dirname, 'silent-run.js');

export interface WatchedRun {
  offer: OfferFrame;
  control: Control;
  lines: ReportLine[];
  answers: ReportResponse[];
  pictures: Picture[];
  end: Promise<ReportEnd>;
  /** Waits for a line that contains the text and returns its message. */
  messageWith(text: string): Promise<string>;
}

/** For tests: runs each execution in a separate OS process, without a router. */
export class RunnerWorld {
  readonly internalErrors: string[] = [];
  readonly runner: Runner;
  private count = 0;

  constructor(
    program: string,
    settings: NodeJS.ProcessEnv = {},
    limits: { stopGraceMs?: number; startLimitMs?: number } = {},
  ) {
    const config = readAgentConfig({
      BATUTA_ROUTER_URL: 'ws://127.0.0.1:1',
      BATUTA_AGENT_KEY: 'activation-key',
      BATUTA_AGENT_WARM_PROCESSES: '0',
      ...settings,
    });
    const logInternalError = (_instance: unknown, text: string) => this.internalErrors.push(text);
    this.runner = processRunner(config, createLogger('agent', 'silent'), logInternalError, { program, ...limits });
  }

  /** Begins an execution; with `takesLines: false` the agent takes none of its log lines, so that the execution waits. */
  begin(changes: Partial<OfferFrame> = {}, { takesLines = true } = {}): WatchedRun {
    this.count += 1;
    const offer = offerOf([], { instanceID: `i-${this.count}`, ...changes });
    const control = new Control();
    const lines: ReportLine[] = [];
    const answers: ReportResponse[] = [];
    const pictures: Picture[] = [];
    const end = this.runner.run(offer, control, {
      log: (line) => {
        lines.push(line);
        return takesLines ? Promise.resolve() : new Promise(() => undefined);
      },
      answer: (response) => answers.push(response),
      keepPicture: (picture) => `/evidence/${pictures.push(picture)}`,
    });
    const messageWith = (text: string) =>
      waitUntil(`a line with "${text}"`, () => lines.find(({ message }) => message.includes(text))?.message);
    return { offer, control, lines, answers, pictures, end, messageWith };
  }

  /** Runs the misbehaviour of misbehaving-run.js with this name. */
  beginMisbehaving(name: string): WatchedRun {
    return this.begin({ processName: name });
  }

  close(): Promise<void> {
    return this.runner.close();
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
