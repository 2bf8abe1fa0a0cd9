import type { InstanceWork } from '@batuta/contracts';
import type { KeptPicture } from '../../evidence/evidence-sink';
import type { SystemValues } from './execution-scope';

const MAX_TRAIL_STEPS = 500;

/**
 * The system variables of one execution (contract 2.11). Those about the browser are empty or false until a browser
 * step runs.
 */
export class RunState {
  execSteps = 0;
  stepName = '';
  lastStep = '';
  /**
   * HTTP or SMTP status of the answer that failed the last failed step; null without such an answer and before any failure. Like `errorStep` and
   * `errorDescription` it stays when later steps succeed.
   */
  lastErrorStatus: number | null = null;
  errorStep = '';
  errorDescription = '';
  /**
   * Address of the active tab at the beginning of the last browser step, or after its latest action; empty before a page is open and when the
   * browser was lost.
   */
  currentUrl = '';
  urlChanged = false;
  fastCheck = false;
  /** Whether a Webhook Response step has given the answer of this execution, also when no caller waits for it; answers of later steps are ignored. */
  isAnswered = false;
  private errorEvidence: KeptPicture | undefined;
  private stepValidation: { value: unknown; isDerived: boolean } = { value: null, isDerived: false };
  private readonly trail: string[] = [];
  /** The start on the monotonic clock, because the clock of the machine may be set back while the execution runs. */
  private readonly begunAt: number;

  constructor(
    private readonly work: Pick<InstanceWork, 'processID' | 'processName' | 'instanceID' | 'userName'>,
    /** The start on the clock of the machine, in epoch milliseconds. */
    private readonly startedAt: number,
    private readonly monotonicNow: () => number,
  ) {
    this.begunAt = monotonicNow();
  }

  /** Begins a step: counts it, and appends it to the trail, of which the last MAX_TRAIL_STEPS steps stay. */
  enter(step: string): void {
    this.execSteps += 1;
    this.lastStep = this.stepName;
    this.stepName = step;
    this.urlChanged = false;
    this.trail.push(step);
    if (this.trail.length > MAX_TRAIL_STEPS) this.trail.shift();
  }

  keepError(step: string, status: number | null, description: string, evidence?: KeptPicture): void {
    this.lastErrorStatus = status;
    this.errorStep = step;
    this.errorDescription = description;
    this.errorEvidence = evidence;
  }

  /** Stores the result of a validation script of a step or of a mapping field; a later result replaces it. */
  keepValidation(value: unknown, isDerived: boolean): void {
    this.stepValidation = { value, isDerived };
  }

  /** True for a system variable whose value was computed from a sensitive value. */
  isDerived(name: string): boolean {
    return name === 'stepValidation' && this.stepValidation.isDerived;
  }

  /** The system variables by name, computed at each use because a copy would be stale. */
  get values(): SystemValues {
    const picture = this.errorEvidence?.picture;
    return {
      processID: this.work.processID,
      processName: this.work.processName,
      instanceID: this.work.instanceID,
      currentUser: this.work.userName,
      stepName: this.stepName,
      lastStep: this.lastStep,
      execSteps: this.execSteps,
      workflow: this.trail.join(' > '),
      stepValidation: this.stepValidation.value,
      lastErrorStatus: this.lastErrorStatus,
      errorStep: this.errorStep,
      errorDescription: this.errorDescription,
      startTime: new Date(this.startedAt).toISOString(),
      elapsedSeconds: Math.floor((this.monotonicNow() - this.begunAt) / 1000),
      fastCheck: this.fastCheck,
      urlChanged: this.urlChanged,
      currentUrl: this.currentUrl,
      'error.evidence': this.errorEvidence?.link ?? '',
      // A getter, so that the text is encoded only when it is read: each read of any system variable builds this whole
      // object.
      get 'error.evidence_BUFFER'() {
        return picture?.bytes.toString('base64') ?? '';
      },
    };
  }
}
