import { answerTo, BatutaError } from '@batuta/client';
import { listProcesses, type ConsoleClient } from './console-lists';
import { sameJson } from './json-shapes';
import { applyDifferences, type FlowProblemOrWarning, type ImportSource } from './apply';
import { differencesOf, originFile, type Difference } from './differences';
import { normalizedName, ORIGINS_FOLDER, refuseEqualOrigins, type StoredProcess } from './process-files';
import type { RemoteProcess, RemoteReader } from './read-remote';
import { ProcessFileError, importRefusal } from './refusal';

export interface ImportPlan {
  /** Undefined when the import creates the process. */
  remote: RemoteProcess | undefined;
  differences: Difference[];
}

export interface ImportResult {
  processID: string;
  /** The problems and warnings of the flow, if the import has saved it. */
  notes: FlowProblemOrWarning[];
}

/**
 * Maximum rounds that change something. An import needs one, or two when the first creates the process, and more only when the
 * process is changed at the same time. The round after the last change only finds that nothing is left to change.
 */
const MAX_ROUNDS = 5;
const MAX_PLAN_ATTEMPTS = 3;
const MAX_RETRY_PAUSE_MS = 300;

/** Thrown when several processes or origins of the console have the name in the files, possibly only for a moment while several imports create it. */
class AmbiguousName extends ProcessFileError {}

/**
 * Changes the process in the console until it equals the files; publishes nothing, and removes no flow and no origin that the files lack. Each
 * round reads the process and applies the differences, and remembers only which process it has created itself. Therefore a new import finishes
 * the work of one that was killed, and two simultaneous imports result in one process, unless one of them is killed after both have created it:
 * then files without the process id name two processes (AmbiguousName).
 */
export class ProcessImport implements ImportSource {
  private createdID: string | undefined;
  private hasChanged = false;

  constructor(
    private readonly console: ConsoleClient,
    private readonly reader: RemoteReader,
    private readonly local: StoredProcess,
    readonly signatureSecret: string | undefined,
  ) {}

  /**
   * Reads the process from the console and compares it with the files; changes nothing. Makes up to three attempts while another import creates
   * the same process or removes something. Throws a ProcessFileError for an unknown or ambiguous environment, a missing signature secret, equal
   * names of origins in the files, and for several processes or origins of one name in the console.
   */
  async plan(): Promise<ImportPlan> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.planOnce();
      } catch (error) {
        const isTemporary = error instanceof AmbiguousName || (error instanceof BatutaError && error.status === 404);
        if (!isTemporary || failures >= MAX_PLAN_ATTEMPTS) throw error;
        await pauseBriefly();
      }
    }
  }

  private async planOnce(): Promise<ImportPlan> {
    const { definition } = this.local;
    refuseEqualOrigins(ORIGINS_FOLDER, definition.origins);
    const pid = await this.target();
    if (pid === undefined) {
      await this.environmentID(definition.settings.environment);
      const differences = wholeDefinition(this.local);
      this.requireSecrets(differences);
      return { remote: undefined, differences };
    }
    const remote = await this.reader.read(pid);
    this.requireDistinctOrigins(remote);
    const { environment } = definition.settings;
    // An environment that stays need not be found: the account may not see it, or may see another one of its name.
    if (environment !== remote.definition.settings.environment) await this.environmentID(environment);
    const differences = differencesOf(remote.definition, definition);
    for (const [index, { mappingPending, answer }] of remote.origins.entries()) {
      const file = originFile(answer.name);
      const kept = definition.origins.some(({ name }) => name === answer.name);
      const known = differences.some(
        (difference) => difference.file === file && difference.path.startsWith('/mapping'),
      );
      const saved = { file, path: '/mapping', from: '(not saved)', to: remote.definition.origins[index]?.mapping };
      if (mappingPending && kept && !known) differences.push(saved);
    }
    this.requireSecrets(differences);
    return { remote, differences };
  }

  /** Plans and applies until nothing is left to change. Throws a ProcessFileError when that does not happen within MAX_ROUNDS. */
  async apply(): Promise<ImportResult> {
    const notes: FlowProblemOrWarning[] = [];
    let applied: Difference[] | undefined;
    for (let round = 1; ; round += 1) {
      const { remote, differences } = await this.plan();
      // A difference that remains after it was applied is only another form of the same value.
      if (remote && (differences.length === 0 || sameJson(differences, applied))) {
        return { processID: remote.process.processID, notes };
      }
      if (round > MAX_ROUNDS) throw importRefusal('Somebody else changes the process at the same time; try again.');
      applied = undefined;
      this.hasChanged = true;
      try {
        if (remote) {
          notes.splice(0, notes.length, ...(await applyDifferences(this, remote, differences)));
          applied = differences;
        } else await this.create();
      } catch (error) {
        if (round === MAX_ROUNDS || !isFromConcurrentChange(error)) throw error;
        await pauseBriefly();
      }
    }
  }

  get client(): ConsoleClient {
    return this.console;
  }

  get definition() {
    return this.local.definition;
  }

  async environmentID(name: string | null): Promise<string | null> {
    if (name === null) return null;
    const names = await this.reader.environmentNames();
    const ids = [...names].flatMap(([id, known]) => (normalizedName(known) === name || id === name ? [id] : []));
    const [id] = ids;
    if (id !== undefined && ids.length === 1) return id;
    const problem =
      ids.length === 0 ? 'is no environment of this account' : `is the name of ${ids.length} environments`;
    throw importRefusal(
      `${this.local.folder}: process.json: environment: ${JSON.stringify(name)} ${problem}`,
      '--environment names another one',
    );
  }

  /**
   * The id of the process to change: the id in the files if the account sees such a process, or else that of the account's own process with the
   * name; undefined when there is none.
   */
  private async target(): Promise<string | undefined> {
    const processes = await listProcesses(this.console);
    const { processID, definition } = this.local;
    if (processes.some((one) => one.processID === processID)) return processID;
    const { processName } = definition.settings;
    const named = processes.filter((one) => one.owned && one.processName === processName).map((one) => one.processID);
    if (named.length > 1 && this.createdID === undefined) {
      const problem = `${named.length} processes have the name ${JSON.stringify(processName)}`;
      throw new AmbiguousName(`${this.local.folder}: ${problem}`, 'write the id of one into process.json as processID');
    }
    await this.removeDuplicate(named);
    return named.toSorted()[0];
  }

  /**
   * Throws AmbiguousName when several origins of the process have the name of one in the files. Not after this import's first change: two
   * simultaneous imports may then have created the same origin, and the import with the newer one removes its own.
   */
  private requireDistinctOrigins({ definition }: RemoteProcess): void {
    if (this.hasChanged) return;
    const twice = this.definition.origins.find(
      ({ name }) => definition.origins.filter((origin) => origin.name === name).length > 1,
    );
    if (!twice) return;
    const problem = `${originFile(twice.name)}: the process has several origins with this name`;
    throw new AmbiguousName(`${this.local.folder}: ${problem}`, 'rename or remove all but one of them');
  }

  /**
   * When two simultaneous imports have created the same process, the oldest one stays and each import removes its own
   * newer one.
   */
  private async removeDuplicate(named: string[]): Promise<void> {
    const [oldest] = named.toSorted();
    const { createdID } = this;
    if (createdID === undefined || createdID === oldest || !named.includes(createdID)) return;
    await answerTo(this.console.DELETE('/manage/v1/processes/{pid}', { params: { path: { pid: createdID } } }));
  }

  private async create(): Promise<void> {
    const { processName, description } = this.local.definition.settings;
    const body = { processName, description };
    this.createdID = (await answerTo(this.console.POST('/manage/v1/processes', { body }))).processID;
  }

  private requireSecrets(differences: Difference[]): void {
    if (this.signatureSecret !== undefined) return;
    const unsigned = this.local.definition.origins.find(
      ({ name, signature }) =>
        signature !== null &&
        differences.some(
          ({ file, path }) => file === originFile(name) && (path === '' || path.startsWith('/signature')),
        ),
    );
    if (!unsigned) return;
    const hint = 'BATUTA_SIGNATURE_SECRET holds it; files never do';
    throw importRefusal(`${this.local.folder}: ${originFile(unsigned.name)}: signature: its secret is needed`, hint);
  }
}

function wholeDefinition({ definition }: StoredProcess): Difference[] {
  const { settings, matrix, flow, origins } = definition;
  return [
    { file: 'process.json', path: '', to: settings },
    ...(matrix.length > 0 ? [{ file: 'matrix.json', path: '', to: matrix.map(({ name }) => name) }] : []),
    ...(flow === null ? [] : [{ file: 'flow.json', path: '', to: flow }]),
    ...origins.map((origin) => ({ file: originFile(origin.name), path: '', to: origin })),
  ];
}

/** True for an error that a simultaneous change of another client can cause, such as a removed object. */
function isFromConcurrentChange(error: unknown): boolean {
  return error instanceof BatutaError && [400, 404, 409].includes(error.status) && error.code !== 'QUOTA_EXCEEDED';
}

const pauseBriefly = () => new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_RETRY_PAUSE_MS));
