import { INSTANCE_STATUSES } from '@batuta/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusAfter, statusBefore } from './status-sql';

test.each([
  ['claim', "status = 'queued'", "status = 'unknown'"],
  ['grant', "status = 'unknown'", "status = 'running'"],
  ['release', "status = 'unknown'", "status = 'queued'"],
  ['adopt', "status IN ('unknown', 'running')", "status = 'running'"],
] as const)('the SQL of the event %s has the condition %s and the assignment %s', (event, before, after) => {
  expect([statusBefore(event), statusAfter(event)]).toEqual([before, after]);
});

const ROOT = join(__dirname, '..');
const SOURCE_FILES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

const STATUS_LITERAL = new RegExp(`'(${INSTANCE_STATUSES.join('|')})'`);
/** Matches the assignments of an UPDATE, from `SET` to their end. */
const SET_CLAUSES = /\bUPDATE instance\b[^`"]*?\bSET\b(.*?)(?=\bWHERE\b|`)/gs;
const INSTANCE_INSERT = /\bINSERT INTO instance \(/;

/** Status literals in what a source assigns to rows of `instance`. */
function writtenStatusLiterals(text: string): string[] {
  const updates = [...text.matchAll(SET_CLAUSES)].flatMap(
    ([, assigned = '']) => STATUS_LITERAL.exec(assigned)?.[0] ?? [],
  );
  // An INSERT gets its values as parameters, built elsewhere in the same file.
  const inserted = INSTANCE_INSERT.test(text) ? (STATUS_LITERAL.exec(text)?.[0] ?? []) : [];
  return updates.concat(inserted);
}

test('SQL of the service writes only statuses from the transition table', () => {
  expect(SOURCE_FILES.filter(({ text }) => /UPDATE instance\b/.test(text)).length).toBeGreaterThan(3);
  expect(SOURCE_FILES.filter(({ text }) => INSTANCE_INSERT.test(text))).toHaveLength(1);
  expect(
    SOURCE_FILES.map(({ file, text }) => [file, writtenStatusLiterals(text)]).filter(([, found]) => found?.length),
  ).toEqual([]);
});

test.each([
  ["const SQL = `UPDATE instance SET status = 'running' WHERE instance_id = ?`;"],
  ["tx.write(`UPDATE instance SET session_id = NULL,\n  status = 'queued' WHERE instance_id = ?`)"],
  ['tx.write("UPDATE instance SET status = \'queued\', session_id = NULL WHERE instance_id = ?", [id])'],
  ["tx.atCommit(`INSERT INTO instance (instance_id, status) VALUES ?`, rows.map((id) => [id, 'queued']))"],
])('the scan of the sources for written statuses finds %s', (text) =>
  expect(writtenStatusLiterals(text)).not.toEqual([]),
);
