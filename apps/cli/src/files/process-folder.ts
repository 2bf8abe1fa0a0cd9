import {
  isOriginFile,
  isRecord,
  ORIGINS_FOLDER,
  FLOW_FILE,
  MATRIX_FILE,
  readTexts,
  SETTINGS_FILE,
  textsOf,
  type StoredProcess,
} from '@batuta/process-files';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { refusal } from '../exit-codes';
import { writeAtomically } from '../profiles/atomic-file';
import { readText } from './read-text';

/**
 * The folders that contain a process: the given folder itself, or else its direct subfolders. Throws CommandFailure when the path is no folder.
 */
export function processFolders(path: string): string[] {
  if (!existsSync(path)) throw refusal(`${path}: there is no such folder`);
  if (!statSync(path).isDirectory()) throw refusal(`${path}: must be a folder`);
  if (existsSync(join(path, SETTINGS_FILE))) return [path];
  return readdirSync(path)
    .toSorted()
    .map((name) => join(path, name))
    .filter((folder) => existsSync(join(folder, SETTINGS_FILE)));
}

/** Throws ProcessFileError, which names the file, for a file that is wrong. */
export function readProcessFolder(folder: string): StoredProcess {
  const paths = [SETTINGS_FILE, MATRIX_FILE, FLOW_FILE, ...originFiles(folder)];
  const present = paths.filter((path) => existsSync(join(folder, path)));
  const texts = new Map(present.map((path) => [path, readText(join(folder, path))]));
  return { folder, ...readTexts(texts, (path) => join(folder, path)) };
}

/** The process id in the folder's process.json; undefined when the file has none or cannot be read. */
export function storedProcessID(folder: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readText(join(folder, SETTINGS_FILE)));
    return isRecord(value) && typeof value['processID'] === 'string' ? value['processID'] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes the files whose content differs, and removes those of a flow or an origin that the process lacks. Returns the paths of both. Throws
 * ProcessFileError for a process that files cannot hold, and CommandFailure when the folder cannot be written.
 */
export function writeProcess({ folder, ...process }: StoredProcess): string[] {
  const texts = textsOf(process);
  try {
    return writeChanges(folder, texts);
  } catch (error) {
    throw refusal(`${folder}: cannot be written (${error instanceof Error ? error.message : String(error)})`);
  }
}

function writeChanges(folder: string, texts: Map<string, string>): string[] {
  const changed = [...texts].flatMap(([path, text]) => (writeIfChanged(join(folder, path), text) ? [path] : []));
  const stale = [FLOW_FILE, ...originFiles(folder)].filter(
    (path) => !texts.has(path) && existsSync(join(folder, path)),
  );
  for (const path of stale) rmSync(join(folder, path));
  return [...changed, ...stale].map((path) => join(path));
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
    .toSorted()
    .map((name) => `${ORIGINS_FOLDER}/${name}`)
    .filter(isOriginFile);
}

export const folderName = (folder: string) => basename(folder);
