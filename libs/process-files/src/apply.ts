import { answerTo } from '@batuta/client';
import type { OriginInput } from '@batuta/client/console-types';
import type { OriginDefinition, ProcessDefinition, ProcessSettings } from './definition';
import { originFile, type Difference } from './differences';
import { FLOW_FILE, MATRIX_FILE, SETTINGS_FILE } from './process-files';
import type { ConsoleClient } from './console-lists';
import type { RemoteOrigin, RemoteProcess } from './read-remote';

/** A problem or a warning of the stored flow. */
export interface FlowProblemOrWarning {
  kind: 'problem' | 'warning';
  path: string;
  message: string;
}

export interface ImportSource {
  readonly client: ConsoleClient;
  readonly definition: ProcessDefinition;
  /** The secret for the signatures of origins. */
  readonly signatureSecret: string | undefined;
  /** The id of the environment with this name or id; null for null. Throws for a name of no environment or of several. */
  environmentID(name: string | null): Promise<string | null>;
}

/**
 * Applies the differences to the console, and returns the problems and warnings of a flow that it has saved. It publishes nothing. The settings
 * are applied last, because they may allow others to start the process; only the vault keys come first, because the flow refers to them.
 */
export async function applyDifferences(
  source: ImportSource,
  remote: RemoteProcess,
  differences: Difference[],
): Promise<FlowProblemOrWarning[]> {
  const { client, definition } = source;
  const pid = remote.process.processID;
  const path = { params: { path: { pid } } };
  const changed = new Set(differences.map(({ file }) => file));
  const fields = new Set(
    differences.flatMap((one) => (one.file === SETTINGS_FILE ? [one.path.split('/')[1] ?? ''] : [])),
  );
  if (fields.has('vaultKeys')) {
    const keys = definition.settings.vaultKeys;
    await answerTo(client.PUT('/manage/v1/processes/{pid}/vault-keys', { ...path, body: { keys } }));
  }
  const ids = changed.has(MATRIX_FILE) ? await replaceMatrix(source, remote) : idsOf(remote.process.matrix);
  const notes = changed.has(FLOW_FILE) ? await saveFlow(source, pid) : [];
  for (const origin of definition.origins) {
    const own = differences.filter(({ file }) => file === originFile(origin.name));
    const index = remote.definition.origins.findIndex(({ name }) => name === origin.name);
    if (own.length > 0) await changeOrigin(source, pid, origin, remote.origins[index], own, ids);
  }
  fields.delete('vaultKeys');
  if (fields.size > 0) {
    const body = await settingsBody(source, fields);
    await answerTo(client.PATCH('/manage/v1/processes/{pid}', { ...path, body }));
  }
  return notes;
}

const idsOf = (matrix: { id: string; name: string }[]) => new Map(matrix.map(({ id, name }) => [name, id]));

async function replaceMatrix(
  { client, definition }: ImportSource,
  { process }: RemoteProcess,
): Promise<Map<string, string>> {
  const known = idsOf(process.matrix);
  // A variable with the same name keeps its id and therefore its mappings.
  const matrix = definition.matrix.map((item) => ({
    ...item,
    ...(known.has(item.name) && { id: known.get(item.name) }),
  }));
  const init = { params: { path: { pid: process.processID } }, body: { matrix } };
  return idsOf((await answerTo(client.PUT('/manage/v1/processes/{pid}/matrix', init))).matrix);
}

async function saveFlow({ client, definition }: ImportSource, pid: string): Promise<FlowProblemOrWarning[]> {
  if (definition.flow === null) return [];
  const init = { params: { path: { pid } }, body: definition.flow };
  const { problems, warnings } = await answerTo(client.PUT('/manage/v1/processes/{pid}/flow', init));
  return [
    ...problems.map((one) => ({ kind: 'problem' as const, ...one })),
    ...warnings.map((one) => ({ kind: 'warning' as const, ...one })),
  ];
}

async function changeOrigin(
  source: ImportSource,
  pid: string,
  origin: OriginDefinition,
  remote: RemoteOrigin | undefined,
  differences: Difference[],
  variables: Map<string, string>,
): Promise<void> {
  const { client } = source;
  const changed = new Set(differences.map(({ path }) => path.split('/')[1] ?? ''));
  const { mapping, ...settings } = origin;
  const { signature } = settings;
  const signed = signature === null ? null : { ...signature, secret: source.signatureSecret ?? '' };
  const body: OriginInput = { ...settings, signature: signed };
  let id = remote?.answer.id;
  if (id === undefined) {
    const init = { params: { path: { pid } }, body };
    id = (await answerTo(client.POST('/manage/v1/processes/{pid}/origins', init))).id;
    const kept = await removeDuplicate(client, pid, origin.name, id);
    if (kept !== id) return;
  } else if ([...changed].some((field) => field !== 'mapping')) {
    const fields = Object.fromEntries(Object.entries(body).filter(([field]) => changed.has(field)));
    await answerTo(client.PATCH('/manage/v1/origins/{id}', { params: { path: { id } }, body: fields }));
  }
  const wanted = remote ? changed.has('mapping') : mapping.length > 0;
  if (!wanted) return;
  const entries = mapping.map(({ pointer, variable }) => ({ pointer, variableId: variables.get(variable) ?? '' }));
  const path = { params: { path: { id } } };
  await answerTo(client.PUT('/manage/v1/origins/{id}/mapping/draft', { ...path, body: entries }));
  await answerTo(client.POST('/manage/v1/origins/{id}/mapping/save', path));
}

/**
 * When two simultaneous imports have created the same origin, keeps the oldest one and removes the one that this import created; the next
 * round changes the oldest.
 */
async function removeDuplicate(client: ConsoleClient, pid: string, name: string, own: string): Promise<string> {
  const { origins } = await answerTo(client.GET('/manage/v1/processes/{pid}/origins', { params: { path: { pid } } }));
  const [oldest = own] = origins
    .filter((one) => one.name === name)
    .map(({ id }) => id)
    .toSorted();
  if (oldest !== own) await answerTo(client.DELETE('/manage/v1/origins/{id}', { params: { path: { id: own } } }));
  return oldest;
}

async function settingsBody(source: ImportSource, fields: Set<string>) {
  const { environment, vaultKeys: _vaultKeys, ...settings } = source.definition.settings;
  const changed = Object.entries(settings).filter(([name]) => fields.has(name));
  const body: Partial<Omit<ProcessSettings, 'environment' | 'vaultKeys'>> = Object.fromEntries(changed);
  return { ...body, ...(fields.has('environment') && { environmentID: await source.environmentID(environment) }) };
}
