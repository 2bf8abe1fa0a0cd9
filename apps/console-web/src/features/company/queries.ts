import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type { AccountAnswer, AccountInput, ManagementAction } from '../../api/generated/console-api';
import { periodOf } from '../../common/day';
import { nextBefore, PAGE_SIZE, readAllPages } from '../../api/pages';

/** The largest page of the API. */
const MAX_PAGE_SIZE = 500;

export const peopleKeys = { all: ['people'] as const };

const idOf = ({ id }: AccountAnswer) => id;

async function readPeople(limit: number, before: string | undefined, signal: AbortSignal): Promise<AccountAnswer[]> {
  const params = { query: { limit, before } };
  return (await answerTo(api.GET('/manage/v1/accounts', { params, signal }))).accounts;
}

/** The accounts of the company, newest first, also blocked ones. */
export const peopleQuery = infiniteQueryOptions({
  queryKey: peopleKeys.all,
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam: before, signal }) => readPeople(PAGE_SIZE, before, signal),
  getNextPageParam: nextBefore(idOf),
});

/** All people of the company, for a field in which the user chooses a person. Their number is a quota of the company. */
export const personChoicesQuery = queryOptions({
  queryKey: [...peopleKeys.all, 'choices'],
  queryFn: ({ signal }) => readAllPages((before) => readPeople(MAX_PAGE_SIZE, before, signal), idOf, MAX_PAGE_SIZE),
});

/** The balance of the company, and the monthly credits of its plan. */
export const creditsQuery = queryOptions({
  queryKey: ['credits'],
  queryFn: ({ signal }) => answerTo(api.GET('/manage/v1/credits', { signal })),
});

/** Reads the ledger of a period. `from` and `to` are days such as `2026-11-01` in São Paulo, both included. */
export const ledgerQuery = (period: { from?: string; to?: string }) =>
  infiniteQueryOptions({
    queryKey: ['credits', 'entries', period],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const query = { limit: PAGE_SIZE, before, ...periodOf(period) };
      return answerTo(api.GET('/manage/v1/credits/entries', { params: { query }, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });

/** The filter of the audit list, kept in the address of the page. `from` and `to` are days as in `ledgerQuery`. */
export interface AuditFilter {
  /** The id of the account that acted. */
  person?: string;
  action?: ManagementAction;
  /** The id of the object (the key of a secret, the e-mail address of a share), or the id of the process to which the object belongs. */
  object?: string;
  from?: string;
  to?: string;
}

/** No filter: each field is there, so that it replaces the field of the same name in the address. */
export const NO_AUDIT_FILTER: AuditFilter = {
  person: undefined,
  action: undefined,
  object: undefined,
  from: undefined,
  to: undefined,
};

/** The audit events of management of the company, newest first. A page may have few events or none although `older` continues the search. */
export const auditQuery = ({ person, action, object, from, to }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['company', 'audit', { person, action, object, from, to }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const query = { limit: PAGE_SIZE, before, person, action, object, ...periodOf({ from, to }) };
      return answerTo(api.GET('/manage/v1/company/audit', { params: { query }, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });

/** Adds an account with the given password; only operators may do so. */
export const addPerson = (companyID: string, body: AccountInput) =>
  answerTo(api.POST('/manage/v1/companies/{id}/accounts', { params: { path: { id: companyID } }, body }));

/** Blocks an account of the company at once, or lets it in again. CONFLICT when the own account would be blocked. */
export const setPersonBlocked = ({ id, blocked }: { id: string; blocked: boolean }) =>
  answerTo(api.PATCH('/manage/v1/accounts/{id}', { params: { path: { id } }, body: { blocked } }));

/** Replaces the password of another account by a one-time password, which only this answer has, and ends all its sessions. */
export const resetPassword = (id: string) =>
  answerTo(api.POST('/manage/v1/accounts/{id}/password-reset', { params: { path: { id } } }));
