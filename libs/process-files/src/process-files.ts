import {
  convertDefault,
  jsonObstacle,
  MESSAGE_OF_OBSTACLE,
  parseJsonText,
  pathToUnrepresentableNumber,
  publicDefinition,
} from '@batuta/matrix';
import type { MappingItem, MatrixItem, OriginDefinition, ProcessDefinition, ProcessSettings } from './definition';
import { FieldReader } from './field-reader';
import { freeFileName } from './file-names';
import { isRecord } from './json-shapes';
import { importRefusal } from './refusal';
import { jsonFile } from './stable-json';

export const SETTINGS_FILE = 'process.json';
export const MATRIX_FILE = 'matrix.json';
export const FLOW_FILE = 'flow.json';
export const ORIGINS_FOLDER = 'origins';

const VARIABLE_TYPES = ['Texto', 'Número', 'Moeda', 'Verdadeiro/Falso', 'Lista', 'Objeto', 'Secreto'] as const;

/** A process as files. Its id belongs to the installation from which it was exported. */
export interface StoredProcess {
  /** The folder of the files; refusals name it too. */
  folder: string;
  processID: string | undefined;
  definition: ProcessDefinition;
}

/** The texts of a process's files by their paths, such as `origins/shop.json`. */
export type ProcessTexts = ReadonlyMap<string, string>;

interface JsonFile {
  /** The path of the file in refusals. */
  place: string;
  value: unknown;
}

/** The files of a process: equal content gives equal bytes. Refuses origins that files cannot tell apart. */
export function textsOf({ processID, definition }: Omit<StoredProcess, 'folder'>): Map<string, string> {
  const { settings, matrix, flow, origins } = definition;
  refuseEqualOrigins(ORIGINS_FOLDER, origins);
  const taken = new Set<string>();
  return new Map([
    [SETTINGS_FILE, jsonFile({ processID, ...settings })],
    [MATRIX_FILE, jsonFile(matrix)],
    ...(flow === null ? [] : [[FLOW_FILE, jsonFile(flow)] as const]),
    ...origins.map(
      (origin) => [`${ORIGINS_FOLDER}/${freeFileName(origin.name, taken)}.json`, jsonFile(origin)] as const,
    ),
  ]);
}

/** Whether the file with this path is one of an origin. */
export function isOriginFile(path: string): boolean {
  return /^origins\/[^./][^/]*\.json$/.test(path);
}

/** Reads the files of a process; refuses mistakes with the file and the field. `placeOf` = how a refusal names a file. */
export function readTexts(
  texts: ProcessTexts,
  placeOf: (path: string) => string = (path) => path,
): Omit<StoredProcess, 'folder'> {
  const read = (path: string): JsonFile => ({ place: placeOf(path), value: parse(placeOf(path), texts.get(path)) });
  const { processID, settings } = readSettings(read(SETTINGS_FILE));
  const matrix = readMatrix(read(MATRIX_FILE));
  const flow = texts.has(FLOW_FILE) ? read(FLOW_FILE).value : null;
  if (flow !== null && !isRecord(flow)) throw importRefusal(`${placeOf(FLOW_FILE)}: must be an object`);
  const paths = [...texts.keys()].filter(isOriginFile).toSorted();
  const origins = paths.map((path) => readOrigin(read(path), matrix));
  refuseEqualOrigins(placeOf(ORIGINS_FOLDER), origins);
  return { processID, definition: { settings, matrix, flow, origins } };
}

function parse(place: string, text: string | undefined): unknown {
  if (text === undefined) throw importRefusal(`${place}: is missing`);
  const value = parseText(place, text);
  const obstacle = jsonObstacle(value);
  if (obstacle === undefined) return value;
  const path = obstacle === 'number' ? pathToUnrepresentableNumber(value) : undefined;
  throw importRefusal(`${[place, ...(path ?? [])].join(': ')}: ${MESSAGE_OF_OBSTACLE[obstacle]}`);
}

function parseText(place: string, text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw importRefusal(`${place}: ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

function readSettings({ place, value }: JsonFile): { processID: string | undefined; settings: ProcessSettings } {
  const fields = FieldReader.of(place, value);
  const processID = fields.has('processID') ? fields.text('processID') : undefined;
  const settings: ProcessSettings = {
    processName: normalizedName(fields.text('processName')),
    description: normalizedName(fields.text('description')),
    environment: normalizedNameOrNull(fields.textOrNull('environment')),
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

function readMatrix({ place, value: list }: JsonFile): MatrixItem[] {
  if (!Array.isArray(list)) throw importRefusal(`${place}: must be a list`);
  const items = list.map((value: unknown, index): MatrixItem => {
    const fields = FieldReader.of(`${place}: ${index}`, value);
    const name = normalizedName(fields.text('name'));
    const type = fields.oneOf('type', VARIABLE_TYPES);
    const given = fields.any('default');
    fields.end();
    return matrixItem(place, name, type, given);
  });
  refuseDuplicates(
    place,
    items.map(({ name }) => name),
  );
  return items;
}

/** A Matrix variable whose default has the form in which the console stores it: "10,00" of a Moeda is 10. */
function matrixItem(place: string, name: string, type: MatrixItem['type'], given: unknown): MatrixItem {
  if (type !== 'Secreto') {
    try {
      return publicDefinition({ id: '', name, type, default: convertDefault(type, given ?? null, name) });
    } catch (error) {
      throw importRefusal(`${place}: ${error instanceof Error ? error.message : 'the default does not fit'}`);
    }
  }
  if (given === undefined) return { name, type };
  throw importRefusal(`${place}: ${name}: a Secreto has no default`);
}

function readOrigin({ place, value }: JsonFile, matrix: MatrixItem[]): OriginDefinition {
  const fields = FieldReader.of(place, value);
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
  throw importRefusal(`${place}: variable: ${JSON.stringify(entry.variable)} is not in ${MATRIX_FILE}`);
}

/** An import finds an origin by its name, so of two with the same name it would create or change only one. */
export function refuseEqualOrigins(place: string, origins: OriginDefinition[]): void {
  refuseDuplicates(
    place,
    origins.map(({ name }) => name),
    'rename one of the two',
  );
}

function refuseDuplicates(place: string, names: string[], hint?: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw importRefusal(`${place}: ${JSON.stringify(twice)} is there twice`, hint);
}

/** Normalizes a name like the console (docs/management-api.md). */
export const normalizedName = (text: string) => text.trim().normalize('NFC');

const normalizedNameOrNull = (text: string | null) => (text === null ? null : normalizedName(text));
