import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import { CallError } from '../../api/error';
import type {
  CompanyChange,
  CompanyInput,
  CreditCorrectionInput,
  PlanAnswer,
  PlanChange,
  PlanInput,
} from '../../api/generated/console-api';
import { nextBefore, PAGE_SIZE, readAllPages } from '../../api/pages';
import { peopleKeys } from '../company/queries';

/** The largest page of the API. */
const MAX_PAGE_SIZE = 500;

export const operatorKeys = {
  plans: ['operator', 'plans'],
  companies: ['operator', 'companies'],
  emails: ['operator', 'emails'],
} as const;

const idOf = ({ id }: { id: string }) => id;

async function readPlans(limit: number, before: string | undefined, signal?: AbortSignal): Promise<PlanAnswer[]> {
  const params = { query: { limit, before } };
  return (await answerTo(api.GET('/manage/v1/plans', { params, signal }))).plans;
}

export const plansQuery = infiniteQueryOptions({
  queryKey: [...operatorKeys.plans, 'list'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ pageParam: before, signal }) => readPlans(PAGE_SIZE, before, signal),
  getNextPageParam: nextBefore(idOf),
});

const readAllPlans = (signal?: AbortSignal) =>
  readAllPages((before) => readPlans(MAX_PAGE_SIZE, before, signal), idOf, MAX_PAGE_SIZE);

/** All plans, for a field in which the user chooses a plan. */
export const planChoicesQuery = queryOptions({
  queryKey: [...operatorKeys.plans, 'choices'],
  queryFn: ({ signal }) => readAllPlans(signal),
});

/** Finds the plan among all, because the API has no route for one. Throws CallError with status 404 when no plan has the id. */
export async function readPlan(id: string): Promise<PlanAnswer> {
  const found = (await readAllPlans()).find((plan) => plan.id === id);
  if (!found) throw new CallError(404, 'NOT_FOUND', '');
  return found;
}

/** All companies with their credits, newest first, also suspended ones. */
export const companiesQuery = infiniteQueryOptions({
  queryKey: operatorKeys.companies,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: before, signal }) => {
    const params = { query: { limit: PAGE_SIZE, before } };
    return (await answerTo(api.GET('/manage/v1/companies', { params, signal }))).companies;
  },
  getNextPageParam: nextBefore(idOf),
});

/** The accounts of a company; `peopleKeys.all` is the beginning of the key, so that a new person appears. */
export const companyPeopleQuery = (companyID: string) =>
  infiniteQueryOptions({
    queryKey: [...peopleKeys.all, companyID],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const params = { path: { id: companyID }, query: { limit: PAGE_SIZE, before } };
      return (await answerTo(api.GET('/manage/v1/companies/{id}/accounts', { params, signal }))).accounts;
    },
    getNextPageParam: nextBefore(idOf),
  });

export const addPlan = (body: PlanInput) => answerTo(api.POST('/manage/v1/plans', { body }));

/** Changes the given fields for all companies with the plan at once; a decrease of the monthly credits with the next month. */
export const changePlan = ({ id, ...body }: PlanChange & { id: string }) =>
  answerTo(api.PATCH('/manage/v1/plans/{id}', { params: { path: { id } }, body }));

export const addCompany = (body: CompanyInput) => answerTo(api.POST('/manage/v1/companies', { body }));

/** Changes the given fields. The accounts of a suspended company can neither log in nor call anything. */
export const changeCompany = ({ id, ...body }: CompanyChange & { id: string }) =>
  answerTo(api.PATCH('/manage/v1/companies/{id}', { params: { path: { id } }, body }));

/**
 * Changes the credits of a company by `amount`, which may be negative (`how: 'add'`), or to `amount` (`how: 'set'`). A call that is repeated with the
 * same `id` corrects once.
 */
export const correctCredits = ({ companyID, ...body }: CreditCorrectionInput & { companyID: string }) =>
  answerTo(api.POST('/manage/v1/companies/{id}/credits', { params: { path: { id: companyID } }, body }));

/**
 * The accounts whose e-mail address an update could not bring into the form in which addresses are compared: it is invalid, or
 * another account has it. The list has the first MAX_PAGE_SIZE; an account whose address was corrected leaves the list, and the next account appears.
 */
export const emailProblemsQuery = queryOptions({
  queryKey: operatorKeys.emails,
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MAX_PAGE_SIZE } };
    return (await answerTo(api.GET('/manage/v1/accounts/email-problems', { params, signal }))).problems;
  },
});

/** Changes the address with which an account logs in. CONFLICT when another account has it. */
export const changeEmail = ({ accountID, email }: { accountID: string; email: string }) =>
  answerTo(api.PUT('/manage/v1/accounts/{id}/email', { params: { path: { id: accountID } }, body: { email } }));
