import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './settings';

/** A source file of the project. */
export interface SourceFile {
  /** The path from the root of the project. */
  path: string;
  text: string;
}

/** Matches `import { a, type B } from 'where'`. The groups are `type`, if the whole import is one of types, the names, and where. */
const NAMED_IMPORT = /^(?:import|export)( type)? \{([^}]*)\} from '([^']+)';/gm;

/** The sources of a service, without tests, and the files of libraries whose values they import, directly or not. */
export function sourcesOf(service: string): SourceFile[] {
  const found = new Map<string, SourceFile>();
  const folder = join(ROOT, 'apps', service, 'src');
  for (const { name, parentPath } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (name.endsWith('.ts') && !name.endsWith('.test.ts')) addFile(join(parentPath, name), found);
  }
  return [...found.values()];
}

function addFile(file: string, found: Map<string, SourceFile>): void {
  const path = relative(ROOT, file);
  // Skips libs/database, whose statements belong to the migrations and not to a service.
  if (found.has(path) || path.startsWith('libs/database/')) return;
  const text = readFileSync(file, 'utf8');
  found.set(path, { path, text });
  for (const { names, from } of importsIn(text)) {
    if (from.startsWith('@batuta/')) addExports(from.slice('@batuta/'.length), names, found);
    else if (from.startsWith('.') && path.startsWith('libs/')) addIfSource(join(dirname(file), from), found);
  }
}

/** Adds the files of a library that define the names, because a service that imports from an index does not use the whole library. */
function addExports(lib: string, names: string[], found: Map<string, SourceFile>): void {
  const index = join(ROOT, 'libs', lib, 'src', 'index.ts');
  if (!existsSync(index)) return;
  for (const exported of importsIn(readFileSync(index, 'utf8'))) {
    if (exported.names.some((name) => names.includes(name))) addIfSource(join(dirname(index), exported.from), found);
  }
}

function addIfSource(path: string, found: Map<string, SourceFile>): void {
  const file = [`${path}.ts`, join(path, 'index.ts')].find(existsSync);
  if (file !== undefined) addFile(file, found);
}

/** The values that a source text imports or re-exports, by their names in the module that they come from. */
function importsIn(text: string): { names: string[]; from: string }[] {
  return [...text.matchAll(NAMED_IMPORT)].flatMap(([, isType, list = '', from = '']) => {
    if (isType !== undefined) return [];
    const names = list.split(',').map((name) => name.trim());
    const values = names.filter((name) => name !== '' && !name.startsWith('type '));
    return [{ names: values.map((name) => name.replace(/^.* as /, '')), from }];
  });
}
