import { INSTANCE_STATUSES } from '@batuta/contracts';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusAfter, statusBefore } from './status-sql';

test.each([
  ['claim', "status = 'queued'", "status = 'unknown'"],
  ['grant', "status = 'unknown'", "status = 'running'"],
  ['release', "status = 'unknown'", "status = 'queued'"],
  ['adopt', "status IN ('unknown', 'running')", "status = 'running'"],
] as const)('%s takes rows whose %s and sets %s', (event, before, after) => {
  expect([statusBefore(event), statusAfter(event)]).toEqual([before, after]);
});

const ROOT = join(__dirname, '..');
const sources = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

const LITERAL = new RegExp(`'(${INSTANCE_STATUSES.join('|')})'`);
/** From `SET` to the end of the assignments of an UPDATE. */
const ASSIGNMENTS = /\bUPDATE instance\b[^`"]*?\bSET\b(.*?)(?=\bWHERE\b|`)/gs;
const INSERT = /\bINSERT INTO instance \(/;

/** Status literals in what a source assigns to rows of `instance`. */
function literalsWritten(text: string): string[] {
  const updates = [...text.matchAll(ASSIGNMENTS)].flatMap(([, assigned = '']) => LITERAL.exec(assigned)?.[0] ?? []);
  // An INSERT gets its values as parameters, built elsewhere in the same file.
  const inserted = INSERT.test(text) ? (LITERAL.exec(text)?.[0] ?? []) : [];
  return updates.concat(inserted);
}

test('no SQL of the service writes a status that does not come from the transition table', () => {
  expect(sources.filter(({ text }) => /UPDATE instance\b/.test(text)).length).toBeGreaterThan(3);
  expect(sources.filter(({ text }) => INSERT.test(text))).toHaveLength(1);
  expect(sources.map(({ file, text }) => [file, literalsWritten(text)]).filter(([, found]) => found?.length)).toEqual(
    [],
  );
});

test.each([
  ["const SQL = `UPDATE instance SET status = 'running' WHERE instance_id = ?`;"],
  ["tx.write(`UPDATE instance SET session_id = NULL,\n  status = 'queued' WHERE instance_id = ?`)"],
  ['tx.write("UPDATE instance SET status = \'queued\', session_id = NULL WHERE instance_id = ?", [id])'],
  ["tx.atCommit(`INSERT INTO instance (instance_id, status) VALUES ?`, rows.map((id) => [id, 'queued']))"],
])('the scan of the sources finds %s', (text) => expect(literalsWritten(text)).not.toEqual([]));
