import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** A setting as the tables of docs/operations.md show it. */
export interface DocumentedSetting {
  name: string;
  /** The default as a Markdown text; `none` for an empty one, and an empty text for a setting that is required. */
  default: string;
  /** Empty for a setting without a unit. */
  unit: string;
  secret: boolean;
  meaning: string;
}

/** The file of the settings that every service has. */
const SHARED_SETTINGS_FILE = 'libs/config/src/service-settings.ts';
const SHARED_CLASSES = ['TracingSettings', 'DatabaseSettings', 'ServiceSettings'];
const CONFIGURED_SERVICES = ['gateway', 'console', 'execution', 'router', 'schedule', 'webhook'] as const;

/** The unit of a setting, by the end of its name. */
const UNIT_OF_NAME_END: [RegExp, string][] = [
  [/_MS$|_SCHEDULE_DELAY$/, 'milliseconds'],
  [/_SECONDS$/, 'seconds'],
  [/_HOURS$/, 'hours'],
  [/_DAYS$/, 'days'],
  [/_MEGABYTES$/, 'megabytes'],
  [/_PER_MINUTE$/, 'a minute'],
];
/** The decorators that mark a setting as a secret, whose value may be in the file that `<NAME>_FILE` names. */
const SECRET_DECORATORS = /^@(Secret|PasswordOf|SecretKeys)\(/;

/** The settings of all services and of the migration, read from their classes; those that every service has are listed once. */
export async function allSettings(): Promise<DocumentedSetting[]> {
  const own = await Promise.all(CONFIGURED_SERVICES.map((service) => settingsOf(service)));
  return [...(await settingsIn(SHARED_SETTINGS_FILE, ...SHARED_CLASSES, 'MigrateSettings')), ...own.flat()];
}

/** The settings that a service has beside those of every service. */
function settingsOf(service: string): Promise<DocumentedSetting[]> {
  return settingsIn(`apps/${service}/src/config.ts`, 'Settings');
}

/** The settings that a service reads, including those that every service has. */
export async function settingsOfService(service: string): Promise<DocumentedSetting[]> {
  return [...(await settingsIn(SHARED_SETTINGS_FILE, ...SHARED_CLASSES)), ...(await settingsOf(service))];
}

/** The Markdown tables of settings, from their classes: those of every service, those of the migration, and the others of each service. */
export async function settingsTables(): Promise<string> {
  const parts = [`### Every service\n\n${tableOf(await settingsIn(SHARED_SETTINGS_FILE, ...SHARED_CLASSES))}`];
  parts.push(
    `### Settings of the migration, beside those of the database\n\n${tableOf(await settingsIn(SHARED_SETTINGS_FILE, 'MigrateSettings'))}`,
  );
  for (const service of CONFIGURED_SERVICES) {
    parts.push(`### Settings of ${service}\n\n${tableOf(await settingsOf(service))}`);
  }
  return parts.join('\n\n');
}

async function settingsIn(path: string, ...classes: string[]): Promise<DocumentedSetting[]> {
  const source = ts.createSourceFile(path, await readFile(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found = source.statements
    .filter((statement) => ts.isClassDeclaration(statement))
    .filter(({ name }) => classes.includes(name?.text ?? ''));
  return found.flatMap(({ members }) => members.filter((member) => ts.isPropertyDeclaration(member)).map(toSetting));
}

function toSetting(property: ts.PropertyDeclaration): DocumentedSetting {
  const name = property.name.getText();
  const [comment] = ts.getJSDocCommentsAndTags(property);
  const text = comment && ts.isJSDoc(comment) ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : '';
  return {
    name,
    default: defaultOf(property),
    unit: UNIT_OF_NAME_END.find(([end]) => end.test(name))?.[1] ?? '',
    secret: (ts.getDecorators(property) ?? []).some((decorator) => SECRET_DECORATORS.test(decorator.getText())),
    meaning: text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|'),
  };
}

function defaultOf({ initializer, questionToken }: ts.PropertyDeclaration): string {
  if (!initializer) return questionToken ? 'none' : '';
  const text = initializer.getText();
  if (text === "''" || text === '[]') return 'none';
  if (/^[\d_]+$/.test(text)) return Number(text.replaceAll('_', '')).toLocaleString('en-US');
  return `\`${text.replaceAll(/^'|'$/g, '')}\``;
}

function tableOf(settings: DocumentedSetting[]): string {
  const rows = settings.map(({ name, default: value, unit, secret, meaning }) => [
    `\`${name}\``,
    value || 'required',
    unit,
    secret ? 'secret' : '',
    meaning,
  ]);
  const table = [['setting', 'default', 'unit', '', 'meaning'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = table;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join('\n');
}
