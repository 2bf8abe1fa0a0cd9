import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { convertDefault, publicDefinition } from '@batuta/matrix';
import { refusal } from '../exit-codes';
import { isRecord } from '../json-shapes';
import { writeAtomically } from '../profiles/atomic-file';
import type { MappingItem, MatrixItem, OriginDefinition, ProcessDefinition, ProcessSettings } from './definition';
import { FieldReader } from './field-reader';
import { freeFileName } from './file-names';
import { jsonFile } from './stable-json';

export const SETTINGS_FILE = 'process.json';
export const MATRIX_FILE = 'matrix.json';
export const FLOW_FILE = 'flow.json';
export const ORIGINS_FOLDER = 'origins';

const VARIABLE_TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'] as const;

/** A process in a folder. Its id belongs to the installation from which it was exported. */
export interface StoredProcess {
  folder: string;
  processID: string | undefined;
  definition: ProcessDefinition;
}

/** The folders that contain a process: the given folder itself, or its subfolders. */
export function processFolders(path: string): string[] {
  if (!existsSync(path)) throw refusal(`${path}: there is no such folder`);
  if (!statSync(path).isDirectory()) throw refusal(`${path}: must be a folder`);
  if (existsSync(join(path, SETTINGS_FILE))) return [path];
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name))
    .filter((folder) => existsSync(join(folder, SETTINGS_FILE)));
}

export function readProcess(folder: string): StoredProcess {
  const { processID, settings } = readSettings(join(folder, SETTINGS_FILE));
  const matrix = readMatrix(join(folder, MATRIX_FILE));
  const flowFile = join(folder, FLOW_FILE);
  const flow = existsSync(flowFile) ? readJson(flowFile) : null;
  if (flow !== null && !isRecord(flow)) throw refusal(`${flowFile}: must be an object`);
  return { folder, processID, definition: { settings, matrix, flow, origins: readOrigins(folder, matrix) } };
}

/** The id in the folder's file; undefined when it has none or cannot be read. */
export function storedProcessID(folder: string): string | undefined {
  try {
    const value = readJson(join(folder, SETTINGS_FILE));
    return isRecord(value) && typeof value['processID'] === 'string' ? value['processID'] : undefined;
  } catch {
    return undefined;
  }
}

/** Writes what has changed and removes files of origins that are gone. Returns the paths that it changed. */
export function writeProcess({ folder, processID, definition }: StoredProcess): string[] {
  const { settings, matrix, flow, origins } = definition;
  const files = new Map<string, unknown>([
    [SETTINGS_FILE, { processID, ...settings }],
    [MATRIX_FILE, matrix],
    ...(flow === null ? [] : [[FLOW_FILE, flow] as const]),
  ]);
  const taken = new Set<string>();
  for (const origin of origins) files.set(join(ORIGINS_FOLDER, `${freeFileName(origin.name, taken)}.json`), origin);
  const changed = [...files].flatMap(([name, value]) =>
    writeIfChanged(join(folder, name), jsonFile(value)) ? [name] : [],
  );
  const stale = [FLOW_FILE, ...originFiles(folder)].filter(
    (name) => !files.has(name) && existsSync(join(folder, name)),
  );
  for (const name of stale) rmSync(join(folder, name));
  return [...changed, ...stale];
}

function writeIfChanged(path: string, text: string): boolean {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return false;
  writeAtomically(path, text);
  return true;
}

function originFiles(folder: string): string[] {
  const origins = join(folder, ORIGINS_FOLDER);
  if (!existsSync(origins)) return [];
  return readdirSync(origins)
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .toSorted()
    .map((name) => join(ORIGINS_FOLDER, name));
}

function readJson(path: string): unknown {
  if (!existsSync(path)) throw refusal(`${path}: is missing`);
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refusal(`${path}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

function readSettings(path: string): { processID: string | undefined; settings: ProcessSettings } {
  const fields = FieldReader.of(path, readJson(path));
  const processID = fields.has('processID') ? fields.text('processID') : undefined;
  const settings: ProcessSettings = {
    processName: normalizedName(fields.text('processName')),
    description: normalizedName(fields.text('description')),
    environment: fields.textOrNull('environment'),
    apiPermission: fields.oneOf('apiPermission', ['LIBERADO', 'BLOQUEADO']),
    active: fields.flag('active'),
    paused: fields.flag('paused'),
    avgHumanTime: fields.text('avgHumanTime'),
    avgOperatorCost: fields.number('avgOperatorCost'),
    vaultKeys: fields.texts('vaultKeys').toSorted(),
  };
  fields.end();
  return { processID, settings };
}

function readMatrix(path: string): MatrixItem[] {
  const list = readJson(path);
  if (!Array.isArray(list)) throw refusal(`${path}: must be a list`);
  const items = list.map((value: unknown, index): MatrixItem => {
    const fields = FieldReader.of(`${path}: ${index}`, value);
    const name = normalizedName(fields.text('name'));
    const type = fields.oneOf('type', VARIABLE_TYPES);
    const given = fields.any('default');
    fields.end();
    return matrixItem(path, name, type, given);
  });
  refuseDuplicates(
    path,
    items.map(({ name }) => name),
  );
  return items;
}

/** A Matrix variable whose default has the form in which the console stores it: "10,00" of a Moeda is 10. */
function matrixItem(path: string, name: string, type: MatrixItem['type'], given: unknown): MatrixItem {
  if (type !== 'Secreto') {
    try {
      return publicDefinition({ id: '', name, type, default: convertDefault(type, given ?? null, name) });
    } catch (error) {
      throw refusal(`${path}: ${error instanceof Error ? error.message : 'the default does not fit'}`);
    }
  }
  if (given === undefined) return { name, type };
  throw refusal(`${path}: ${name}: a Secreto has no default`);
}

function readOrigins(folder: string, matrix: MatrixItem[]): OriginDefinition[] {
  const origins = originFiles(folder).map((name) => readOrigin(join(folder, name), matrix));
  refuseDuplicates(
    join(folder, ORIGINS_FOLDER),
    origins.map(({ name }) => name),
  );
  return origins;
}

function readOrigin(path: string, matrix: MatrixItem[]): OriginDefinition {
  const fields = FieldReader.of(path, readJson(path));
  const signature = fields.any('signature');
  const origin: OriginDefinition = {
    name: normalizedName(fields.text('name')),
    responseMode: fields.oneOf('responseMode', ['Imediata', 'Aguardar']),
    waitSeconds: fields.number('waitSeconds'),
    enabled: fields.flag('enabled'),
    signature: signature === null ? null : readSignature(fields.placeOf('signature'), signature),
    mapping: fields
      .list('mapping')
      .map((entry, index) => readEntry(`${fields.placeOf('mapping')}/${index}`, entry, matrix)),
  };
  fields.end();
  return origin;
}

function readSignature(place: string, value: unknown): OriginDefinition['signature'] {
  const fields = FieldReader.of(place, value);
  const header = fields.text('header');
  const tolerance = fields.any('toleranceSeconds');
  fields.end();
  return { header, toleranceSeconds: typeof tolerance === 'number' ? tolerance : null };
}

function readEntry(place: string, value: unknown, matrix: MatrixItem[]): MappingItem {
  const fields = FieldReader.of(place, value);
  const entry = { pointer: fields.text('pointer'), variable: normalizedName(fields.text('variable')) };
  fields.end();
  if (matrix.some(({ name }) => name === entry.variable)) return entry;
  throw refusal(`${place}: variable: ${JSON.stringify(entry.variable)} is not in ${MATRIX_FILE}`);
}

function refuseDuplicates(place: string, names: string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(`${place}: ${JSON.stringify(twice)} is there twice`);
}

/** Normalizes a name like the console (docs/management-api.md). */
const normalizedName = (text: string) => text.trim().normalize('NFC');

export const folderName = (folder: string) => basename(folder);
