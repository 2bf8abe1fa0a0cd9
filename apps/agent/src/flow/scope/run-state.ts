import type { Work } from '@batuta/contracts';
import type { SystemValues } from './execution-scope';

const MAX_TRAIL_STEPS = 500;

/** The system variables of one execution (contract 2.11). Those that need a browser stay empty or false. */
export class RunState {
  execSteps = 0;
  stepName = '';
  lastStep = '';
  stepValidation: unknown = null;
  lastErrorStatus: number | null = null;
  errorStep = '';
  errorDescription = '';
  /** Whether a Webhook Response step has given the answer of this execution. */
  isAnswered = false;
  private readonly trail: string[] = [];

  constructor(
    private readonly work: Pick<Work, 'processID' | 'processName' | 'instanceID' | 'userName'>,
    private readonly startedAt: number,
    private readonly now: () => number,
  ) {}

  enter(step: string): void {
    this.execSteps += 1;
    this.lastStep = this.stepName;
    this.stepName = step;
    this.trail.push(step);
    if (this.trail.length > MAX_TRAIL_STEPS) this.trail.shift();
  }

  failed(step: string, status: number | null, description: string): void {
    this.lastErrorStatus = status;
    this.errorStep = step;
    this.errorDescription = description;
  }

  /** Computed at each use: a copy would be stale. */
  get values(): SystemValues {
    return {
      processID: this.work.processID,
      processName: this.work.processName,
      instanceID: this.work.instanceID,
      currentUser: this.work.userName,
      stepName: this.stepName,
      lastStep: this.lastStep,
      execSteps: this.execSteps,
      workflow: this.trail.join(' > '),
      stepValidation: this.stepValidation,
      lastErrorStatus: this.lastErrorStatus,
      errorStep: this.errorStep,
      errorDescription: this.errorDescription,
      startTime: new Date(this.startedAt).toISOString(),
      elapsedSeconds: Math.floor((this.now() - this.startedAt) / 1000),
      fastCheck: false,
      urlChanged: false,
      currentUrl: '',
      'error.evidence': '',
      'error.evidence_BUFFER': '',
    };
  }
}
