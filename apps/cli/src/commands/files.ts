import { answerTo, BatutaError } from '@batuta/client';
import {
  freeFileName,
  listProcesses,
  normalizedName,
  ProcessFileError,
  ProcessImport,
  RemoteReader,
  type Difference,
  type FlowProblemOrWarning,
  type StoredProcess,
} from '@batuta/process-files';
import { join } from 'node:path';
import { processIDOf } from '../connections/named-resources';
import type { Context } from '../context';
import { CommandFailure, refusal, usageError } from '../exit-codes';
import { differenceText } from '../files/difference-text';
import { folderName, processFolders, readProcessFolder, storedProcessID, writeProcess } from '../files/process-folder';
import { safeLine } from '../terminal/safe-text';
import { addAction } from './action';
import type { Registration } from './registration';

interface ExportOptions {
  to: string;
  all?: boolean;
}

interface ImportOptions {
  dryRun?: boolean;
  publish?: boolean;
  environment?: string;
}

interface ImportedProcess {
  folder: string;
  processName: string;
  processID: string | null;
  action: 'create' | 'update' | 'none';
  differences: Difference[];
  notes: FlowProblemOrWarning[];
  version?: number;
}

const FILES_HELP = `
A process is a folder with process.json, matrix.json, flow.json and origins/*.json. Secrets are never part of it, nor keys, shares,
schedules and URLs. docs/cli.md describes each field.`;

export function registerFiles({ program, terminal }: Registration): void {
  const exported = program
    .command('export [process...]')
    .description('write processes as files for git, a folder for each')
    .option('--to <folder>', 'where the folders are', '.')
    .option('--all', 'every process that the account may edit')
    .addHelpText('after', FILES_HELP);
  addAction<ExportOptions>(exported, terminal, exportProcesses);

  const imported = program
    .command('import <folder...>')
    .description('make the console have what the files say; a run that was cut off is finished by the next one')
    .option('--dry-run', 'only show what would change')
    .option('--publish', 'publish each process afterwards')
    .option('--environment <name>', 'another environment than that in process.json')
    .addHelpText('after', FILES_HELP);
  addAction<ImportOptions>(imported, terminal, importProcesses);

  const differences = program
    .command('diff <folder...>')
    .description('show what an import would change; the exit code is 7 when there is anything');
  addAction<ImportOptions>(differences, terminal, async (context, folders, options) => {
    const found = await importAll(context, folders, { ...options, dryRun: true, publish: false });
    showImport(context, found, true);
    if (found.some(({ action }) => action !== 'none'))
      throw new CommandFailure('different', 'The console has something else.');
  });

  const published = program
    .command('publish <process>')
    .description('publish the saved flow and mappings as the next version');
  addAction(published, terminal, async (context, [given = '']) => {
    const pid = await processIDOf(context.console, given);
    const { version, warnings } = await publish(context, pid);
    context.output.show({ processID: pid, version, warnings }, `Published version ${version}.`);
    for (const warning of warnings) context.output.note(`warning: ${warning}`);
  });
}

async function exportProcesses(context: Context, given: string[], { to, all }: ExportOptions): Promise<void> {
  const { console, output } = context;
  if (all ? given.length > 0 : given.length === 0) throw usageError('Name the processes to export, or give --all.');
  const ids = all ? await editableProcesses(context) : await Promise.all(given.map((one) => processIDOf(console, one)));
  const reader = new RemoteReader(console);
  const folders = foldersByID(to);
  const taken = new Set([...folders.values()].map(folderName));
  const results = [];
  const refused: { folder: string; error: ProcessFileError }[] = [];
  for (const [index, processID] of ids.entries()) {
    output.progress(`exporting ${index + 1} of ${ids.length} …`);
    const found = await reader.read(processID).catch((error: unknown) => {
      // A process that was deleted after the list was read is no longer one of all.
      if (all && error instanceof BatutaError && error.code === 'PROCESS_NOT_FOUND') return undefined;
      throw error;
    });
    if (!found) continue;
    const { definition } = found;
    const { processName } = definition.settings;
    const folder = folders.get(processID) ?? join(to, freeFileName(processName, taken));
    try {
      results.push({ folder, processID, processName, changed: writeProcess({ folder, processID, definition }) });
    } catch (error) {
      // One process that files cannot hold must not keep the others from being written.
      if (!(error instanceof ProcessFileError)) throw error;
      refused.push({ folder, error });
    }
  }
  const text = results.map(
    ({ folder, changed }) =>
      `${safeLine(folder)}: ${changed.length === 0 ? 'unchanged' : changed.map(safeLine).join(', ')}`,
  );
  output.show({ processes: results }, text.join('\n'));
  const reasons = refused.map(({ folder, error }) => `${folder}: ${error.message}`);
  if (reasons.length > 0) throw refusal(reasons.join('\n'), refused[0]?.error.hint);
}

async function editableProcesses({ console }: Context): Promise<string[]> {
  const processes = await listProcesses(console);
  // The oldest process comes first, so that among processes with equal names the same process always gets the folder
  // without a number.
  return processes
    .filter(({ owned, permissions }) => owned || permissions?.edit)
    .map(({ processID }) => processID)
    .toSorted();
}

/** Existing folders by process id, so that a process keeps its folder when its name changes. */
function foldersByID(to: string): Map<string, string> {
  let folders: string[] = [];
  try {
    folders = processFolders(to);
  } catch {
    // Ignored: the folder does not exist before the first process is written.
  }
  return new Map(
    folders.flatMap((folder) => {
      const id = folder === to ? undefined : storedProcessID(folder);
      return id === undefined ? [] : [[id, folder] as const];
    }),
  );
}

async function importProcesses(context: Context, folders: string[], options: ImportOptions): Promise<void> {
  const results = await importAll(context, folders, options);
  showImport(context, results, options.dryRun === true);
}

async function importAll(context: Context, paths: string[], options: ImportOptions): Promise<ImportedProcess[]> {
  const folders = paths.flatMap(processFolders);
  if (folders.length === 0) throw refusal(`${paths.join(', ')}: no folder here has a process.json`);
  // All files are read before the first change, so that a mistake in one of them changes nothing.
  const stored = folders.map(readProcessFolder).map((one) => inEnvironment(one, options.environment));
  const reader = new RemoteReader(context.console);
  const secret = context.terminal.env['BATUTA_SIGNATURE_SECRET'] || undefined;
  const results: ImportedProcess[] = [];
  for (const [index, one] of stored.entries()) {
    context.output.progress(`${options.dryRun ? 'comparing' : 'importing'} ${index + 1} of ${stored.length} …`);
    results.push(await importOne(context, new ProcessImport(context.console, reader, one, secret), one, options));
  }
  return results;
}

async function importOne(
  context: Context,
  work: ProcessImport,
  stored: StoredProcess,
  options: ImportOptions,
): Promise<ImportedProcess> {
  const { remote, differences } = await work.plan();
  const { processName } = stored.definition.settings;
  const action = remote ? (differences.length === 0 ? 'none' : 'update') : 'create';
  const processID = remote?.process.processID ?? null;
  const planned = { folder: stored.folder, processName, processID, action, differences, notes: [] } as const;
  if (options.dryRun) return { ...planned, notes: [] };
  const result = await work.apply();
  const version = options.publish ? (await publish(context, result.processID)).version : undefined;
  return { ...planned, processID: result.processID, notes: result.notes, ...(version !== undefined && { version }) };
}

function inEnvironment(stored: StoredProcess, environment: string | undefined): StoredProcess {
  if (environment === undefined) return stored;
  const { definition } = stored;
  const settings = { ...definition.settings, environment: normalizedName(environment) };
  return { ...stored, definition: { ...definition, settings } };
}

function showImport({ output }: Context, processes: ImportedProcess[], dryRun: boolean): void {
  const words = dryRun
    ? { create: 'would be created', update: 'would be changed', none: 'unchanged' }
    : { create: 'created', update: 'changed', none: 'unchanged' };
  const text = processes.flatMap(({ folder, action, processID, differences, notes, version }) => [
    `${safeLine(folder)}: ${words[action]}${processID === null ? '' : ` (${processID})`}`,
    ...differences.map((difference) => `  ${differenceText(difference)}`),
    ...notes.map(({ kind, path, message }) => `  ${kind}: flow.json ${safeLine(path)}: ${safeLine(message)}`),
    ...(version === undefined ? [] : [`  published as version ${version}`]),
  ]);
  output.show({ dryRun, processes }, text.join('\n'));
}

function publish({ console }: Context, pid: string) {
  return answerTo(console.POST('/manage/v1/processes/{pid}/publish', { params: { path: { pid } } }));
}
