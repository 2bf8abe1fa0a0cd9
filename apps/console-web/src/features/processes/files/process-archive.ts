// Reads and writes the files of processes, in the format of the command line. `loadArchive` loads this module when it is first used.
import { BatutaError, BatutaUnreachable } from '@batuta/client';
import {
  fileNameOf,
  isRecord,
  listProcesses,
  ProcessFileError,
  ProcessImport,
  readTexts,
  RemoteReader,
  SETTINGS_FILE,
  textsOf,
  type Difference,
  type ProcessDefinition,
  type StoredProcess,
} from '@batuta/process-files';
import { api } from '../../../api/client';
import { CallError } from '../../../api/error';
import { readZip, writeZip, ZipError } from './zip';

/** What an import takes from the user beside the files. */
export interface ImportChoices {
  /** The id of another environment than that of the files; empty for that of the files. */
  environmentID: string;
  /** The secret of the origins' signatures, which files never hold; empty for none. */
  secret: string;
}

/** What an import would do. */
export interface PlannedImport {
  /** True when the import would create the process; false when it would change the existing one. */
  creates: boolean;
  differences: Difference[];
}

/**
 * The stored definition of a process as a ZIP archive, whose files are in a folder with the process's name. Rejects with a `CallError`
 * (ORIGINS_ALIKE) if two origins have the same name.
 */
export function exportProcess(pid: string): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
  return withCallErrors(async () => {
    const { definition } = await new RemoteReader(api).read(pid);
    requireOriginNames(definition);
    const folder = fileNameOf(definition.settings.processName);
    const texts = [...textsOf({ processID: pid, definition })].map(
      ([path, text]) => [`${folder}/${path}`, text] as const,
    );
    return { name: `${folder}.zip`, bytes: writeZip(new Map(texts)) };
  });
}

/**
 * Reads a ZIP archive with the files of one process, in any folder. Rejects with a `CallError` (FILE_REFUSED) if it has none or several, or is no
 * archive, damaged or too large, or if a file is malformed.
 */
export function openArchive(archive: Blob): Promise<StoredProcess> {
  return withCallErrors(async () => {
    const texts = await readZip(new Uint8Array(await archive.arrayBuffer()));
    const settings = [...texts.keys()].filter((path) => `/${path}`.endsWith(`/${SETTINGS_FILE}`));
    const [first = SETTINGS_FILE] = settings;
    if (settings.length > 1) throw new ProcessFileError(`${settings.join(', ')}: an archive holds one process here`);
    const folder = first.slice(0, -SETTINGS_FILE.length);
    const inside = [...texts].filter(([path]) => path.startsWith(folder));
    const read = readTexts(new Map(inside.map(([path, text]) => [path.slice(folder.length), text])));
    return { folder: folder.replace(/\/$/, ''), ...read };
  });
}

/** Compares the files with the installation, and changes nothing. */
export function planImport(stored: StoredProcess, choices: ImportChoices): Promise<PlannedImport> {
  return withCallErrors(async () => {
    const { remote, differences } = await importOf(stored, choices).plan();
    return { creates: remote === undefined, differences };
  });
}

/** Creates the process, or changes it to what the files say, without publishing; resolves to its id. A failure may leave a part of the changes. */
export function applyImport(stored: StoredProcess, choices: ImportChoices): Promise<string> {
  return withCallErrors(async () => (await importOf(stored, choices).apply()).processID);
}

/** The stored definition of a process, as its files would have it. */
export function readDefinition(pid: string): Promise<ProcessDefinition> {
  return withCallErrors(async () => (await new RemoteReader(api).read(pid)).definition);
}

/**
 * Creates a process with the definition and another name; resolves to its id, or to undefined when an own process has the name. `owned` = the
 * account owns the process that the definition is of. Rejects with a `CallError` (ORIGINS_ALIKE) if two origins have the same name.
 */
export function duplicateProcess(
  definition: ProcessDefinition,
  { name, owned, ...choices }: ImportChoices & { name: string; owned: boolean },
): Promise<string | undefined> {
  return withCallErrors(async () => {
    requireOriginNames(definition);
    const processes = await listProcesses(api);
    if (processes.some((one) => one.owned && one.processName === name)) return undefined;
    // The allowed secrets are those of the owner's vault, which another account does not have.
    const vaultKeys = owned ? definition.settings.vaultKeys : [];
    const settings = { ...definition.settings, processName: name, vaultKeys };
    const copy = { folder: name, processID: undefined, definition: { ...definition, settings } };
    return (await importOf(copy, choices).apply()).processID;
  });
}

/** Whether an origin has a signature, for which an import needs the secret. */
export const hasSignedOrigin = ({ origins }: ProcessDefinition) => origins.some(({ signature }) => signature !== null);

/** Files name an origin by its name. Throws a `CallError` with a name that several origins have. */
function requireOriginNames({ origins }: ProcessDefinition): void {
  const names = origins.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new CallError(0, 'ORIGINS_ALIKE', twice);
}

function importOf(stored: StoredProcess, { environmentID, secret }: ImportChoices): ProcessImport {
  const { definition } = stored;
  const settings = { ...definition.settings, ...(environmentID !== '' && { environment: environmentID }) };
  const local = { ...stored, definition: { ...definition, settings } };
  return new ProcessImport(api, new RemoteReader(api), local, secret === '' ? undefined : secret);
}

/** Runs the work, and turns the errors of the client, of the files and of the archive into `CallError`, which the pages can show. */
async function withCallErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BatutaError) {
      throw new CallError(error.status, error.code, error.message, error.requestID, error.retryAfter);
    }
    if (error instanceof BatutaUnreachable && isRecord(error.cause)) throw error.cause;
    if (error instanceof ProcessFileError || error instanceof ZipError)
      throw new CallError(0, 'FILE_REFUSED', error.message);
    throw error;
  }
}
