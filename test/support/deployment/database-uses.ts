import { DATABASE_VERBS, type DatabaseVerb, type TableRights } from '@batuta/database';
import { sourcesOf, type SourceFile } from './source-texts';

/**
 * The uses of tables whose names are inserted into a statement, by file. `tablesUsedBy` throws for a new statement of this kind until
 * its file is listed here.
 */
const INSERTED_NAMES: Record<string, TableRights> = {
  // The caller of `removeOrphans` names one of its own tables, which it deletes from.
  'libs/catalog/src/orphaned-rows.ts': {},
  // The tables are those of the kinds of quotas, which `quotasOf` finds.
  'libs/catalog/src/quota.ts': {},
  'apps/console/src/registry/delete-unusable-secrets.ts': { credential: ['DELETE'], process_key: ['DELETE'] },
  'apps/console/src/processes/process.service.ts': {
    process_vault_key: ['DELETE'],
    process_key: ['DELETE'],
    process_share: ['DELETE'],
    share_invitation: ['DELETE'],
    matrix_variable: ['DELETE'],
    process_version: ['DELETE'],
  },
  'apps/console/src/shares/share.service.ts': {
    process_share: ['SELECT', 'INSERT', 'UPDATE'],
    share_invitation: ['SELECT', 'INSERT', 'UPDATE'],
  },
};

const TABLE_AFTER_KEYWORD = /\b(FROM|JOIN|STRAIGHT_JOIN|INTO|UPDATE)\s+([a-z_]+)\b/g;
/** A statement or a repository whose table is no literal: `FROM ${table}`, `.repository(entity)`. */
const INSERTED_NAME = /\b(?:FROM|JOIN|STRAIGHT_JOIN|INTO|UPDATE)\s+\$\{|\.repository(?:<[^(]*>)?\([a-z]/;
/** A text that begins with a table and its alias: the part of a statement that follows FROM elsewhere. */
const TABLE_WITH_ALIAS = /^([a-z_]+) [a-z]{1,2}(?= JOIN| STRAIGHT_JOIN| WHERE|$)/;
const ENTITY_CLASS = /@Entity\('(\w+)'\)\s*export class (\w+)/g;
const REPOSITORY_CALL = /\.repository\((\w+)\)\s*\.(\w+)/g;
const NAMED_REPOSITORY = /const (\w+) = [\w.]+\.repository\((\w+)\);/g;

/** The rights that the methods of a TypeORM repository need, by the beginning of their names. */
const METHOD_VERBS: [name: RegExp, verbs: DatabaseVerb[]][] = [
  [/^(find|exists|count|createQueryBuilder)/, ['SELECT']],
  [/^insert$/, ['INSERT']],
  [/^upsert$/, ['INSERT', 'UPDATE']],
  [/^update$/, ['UPDATE']],
  [/^delete$/, ['DELETE']],
];

/** The tables that the service reads and writes according to its source, with what it does to each. */
export function tablesUsedBy(service: string, tables: readonly string[]): TableRights {
  const files = sourcesOf(service).map(({ path, text }) => ({ path, text: withConstants(withoutComments(text)) }));
  const uses = new TableUses(tables);
  const entities = new Map(
    files.flatMap(({ text }) => [...text.matchAll(ENTITY_CLASS)].map(([, table, name]) => [name, table])),
  );
  for (const file of files) {
    if (INSERTED_NAME.test(file.text)) uses.addListed(file);
    for (const text of file.path.endsWith('/quota.ts') ? quotasOf(file, files) : literalsIn(file.text))
      uses.addText(text);
    for (const [entity, method] of repositoryCallsIn(file.text)) uses.addMethod(entities.get(entity), method, file);
  }
  return uses.inOrder();
}

class TableUses {
  private readonly verbs = new Map<string, Set<DatabaseVerb>>();

  constructor(private readonly tables: readonly string[]) {}

  addListed({ path }: SourceFile): void {
    const listed = INSERTED_NAMES[path];
    if (!listed) throw new Error(`${path}: a statement inserts the name of its table; list what it uses`);
    for (const [table, verbs] of Object.entries(listed)) this.add(table, ...verbs);
  }

  /** A statement, or a part of one. */
  addText(text: string): void {
    const locks = text.includes('FOR UPDATE');
    const updates = text.includes('ON DUPLICATE KEY UPDATE');
    const [, elsewhere] = TABLE_WITH_ALIAS.exec(text) ?? [];
    if (elsewhere !== undefined) this.add(elsewhere, 'SELECT');
    for (const { 1: word, 2: table = '', index } of text.matchAll(TABLE_AFTER_KEYWORD)) {
      const before = text.slice(0, index);
      if (word === 'INTO') this.add(table, 'INSERT', ...(updates ? (['SELECT', 'UPDATE'] as const) : []));
      // UPDATE and DELETE also need SELECT, for their conditions.
      else if (word === 'UPDATE') this.add(table, 'SELECT', 'UPDATE');
      else if (/DELETE\s+$/.test(before)) this.add(table, 'SELECT', 'DELETE');
      else this.add(table, 'SELECT', ...(locks ? (['LOCK'] as const) : []));
    }
  }

  addMethod(table: string | undefined, method: string, { path, text }: SourceFile): void {
    const verbs = METHOD_VERBS.find(([name]) => name.test(method))?.[1];
    if (table === undefined || !verbs) throw new Error(`${path}: the use .${method} of a repository is unknown`);
    this.add(table, ...verbs);
    if (method === 'findOne' && text.includes('pessimistic_write')) this.add(table, 'LOCK');
    if (verbs.includes('UPDATE') || verbs.includes('DELETE')) this.add(table, 'SELECT');
  }

  inOrder(): TableRights {
    const used = this.tables.filter((table) => this.verbs.has(table));
    return Object.fromEntries(
      used.map((table) => [table, DATABASE_VERBS.filter((verb) => this.verbs.get(table)?.has(verb))]),
    );
  }

  private add(table: string, ...verbs: DatabaseVerb[]): void {
    if (!this.tables.includes(table)) return;
    const known = this.verbs.get(table) ?? new Set();
    for (const verb of verbs) known.add(verb);
    this.verbs.set(table, known);
  }
}

/** The query texts of the quotas that the calls of `requireRoom` in the files name, and the statement that locks the company. */
function quotasOf(quota: SourceFile, files: SourceFile[]): string[] {
  const kinds = files.flatMap(({ text }) =>
    [...text.matchAll(/\brequireRoom\([^;]*?'(\w+)'/g)].map(([, kind]) => kind),
  );
  const counted = kinds.map((kind) => {
    const [, text] =
      new RegExp(`^  ${kind}: \\{[^]*?fromAndWhere: [\`'](.*?)[\`'],\\n  \\},`, 'ms').exec(quota.text) ?? [];
    if (text === undefined) throw new Error(`the quota ${kind} is unknown`);
    return `FROM ${text}`;
  });
  return [...counted, 'FROM company FOR UPDATE'];
}

function repositoryCallsIn(text: string): [entity: string, method: string][] {
  const direct = [...text.matchAll(REPOSITORY_CALL)].map(([, entity = '', method = '']) => [entity, method] as const);
  const named = [...text.matchAll(NAMED_REPOSITORY)].flatMap(([, name, entity = '']) =>
    [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)\\(`, 'g'))]
      // Skips methods of arrays, because another function of the file may have an array of the same name.
      .filter(([, method = '']) => !(method in Array.prototype))
      .map(([, method = '']) => [entity, method] as const),
  );
  return [...direct, ...named].map(([entity, method]) => [entity, method]);
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*(?:\/\/.*|\/\*\*?[^]*?\*\/)$/gm, '');
}

/** The text with each `${NAME}` replaced by the constant of that name in the same text. */
function withConstants(text: string): string {
  const constants = new Map(
    [...text.matchAll(/const ([A-Z_]+) =\s+(['`])([^]*?)\2;/g)].map(([, name, , value]) => [name, value]),
  );
  const insert = (part: string): string =>
    part.replaceAll(/\$\{([A-Z_]+)\}/g, (whole, name: string) => {
      const value = constants.get(name);
      return value === undefined ? whole : insert(value);
    });
  return insert(text);
}

/** The string literals and templates of a source text. */
function literalsIn(text: string): string[] {
  return [...text.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}
