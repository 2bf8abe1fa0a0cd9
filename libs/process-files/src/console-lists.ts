import { answerTo } from '@batuta/client';
import type { EnvironmentAnswer, paths, ProcessSummary } from '@batuta/client/console-types';
import type { Client } from 'openapi-fetch';
import { allPages } from './pages';

/** One method per HTTP method, typed by the OpenAPI document of the management API. */
export type ConsoleClient = Client<paths, 'application/json'>;

/** All processes that the account sees, shared ones included, newest first. */
export function listProcesses(console: ConsoleClient): Promise<ProcessSummary[]> {
  return allPages(
    async (query) => (await answerTo(console.GET('/manage/v1/processes', { params: { query } }))).processes,
    ({ processID }) => processID,
  );
}

/** All environments that the account sees, newest first. */
export function listEnvironments(console: ConsoleClient): Promise<EnvironmentAnswer[]> {
  return allPages(
    async (query) => (await answerTo(console.GET('/manage/v1/environments', { params: { query } }))).environments,
    ({ environmentID }) => environmentID,
  );
}
