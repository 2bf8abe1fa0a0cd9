import { statementVerb } from './statement-verb';

test.each([
  ['SELECT 1', 'select'],
  ['(SELECT 1) UNION (SELECT 2)', 'select'],
  ['-- update\n INSERT INTO t VALUES (1)', 'insert'],
  ['WITH a AS (DELETE FROM t RETURNING n) SELECT n FROM a', 'select'],
  ['WITH merge AS (SELECT 1) INSERT INTO t SELECT 1', 'insert'],
  ['WITH insert (n) AS (SELECT 1) SELECT n FROM insert', 'select'],
  ['WITH RECURSIVE update AS (SELECT 1) /* delete */ DELETE FROM t', 'delete'],
  ['WITH a AS (SELECT 1, 2), "b" AS (SELECT 2),\n merge AS MATERIALIZED (SELECT 3) UPDATE t SET n = 1', 'update'],
  ['WITH a AS (SELECT 1) MERGE INTO t USING a ON true WHEN MATCHED THEN DELETE', 'merge'],
  ['WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY n, m SET o SELECT n FROM a', 'select'],
  ['', ''],
])('the verb of %j is %j', (sql, verb) => {
  expect(statementVerb(sql, 'postgres')).toBe(verb);
});
