import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type {
  CompanyAnswer,
  CompanyChange,
  CompanyInput,
  CreditCorrectionInput,
  PlanChange,
  PlanInput,
} from '../../api/generated/console-api';
import { nextBefore, PAGE_SIZE } from '../../api/pages';

const MAX_PLANS = 500;
/** The largest page of the API. An address that was corrected leaves the list, and the next one appears. */
const MAX_EMAIL_PROBLEMS = 500;

export const operatorKeys = {
  plans: ['operator', 'plans'],
  companies: ['operator', 'companies'],
  emails: ['operator', 'emails'],
} as const;

export const plansQuery = queryOptions({
  queryKey: operatorKeys.plans,
  queryFn: async ({ signal }) =>
    (await answerTo(api.GET('/manage/v1/plans', { params: { query: { limit: MAX_PLANS } }, signal }))).plans,
});

export const companiesQuery = infiniteQueryOptions({
  queryKey: operatorKeys.companies,
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: before, signal }) => {
    const params = { query: { limit: PAGE_SIZE, before } };
    return (await answerTo(api.GET('/manage/v1/companies', { params, signal }))).companies;
  },
  getNextPageParam: nextBefore(({ id }: CompanyAnswer) => id),
});

export const addPlan = (body: PlanInput) => answerTo(api.POST('/manage/v1/plans', { body }));

export const changePlan = ({ id, ...body }: PlanChange & { id: string }) =>
  answerTo(api.PATCH('/manage/v1/plans/{id}', { params: { path: { id } }, body }));

export const addCompany = (body: CompanyInput) => answerTo(api.POST('/manage/v1/companies', { body }));

export const changeCompany = ({ id, ...body }: CompanyChange & { id: string }) =>
  answerTo(api.PATCH('/manage/v1/companies/{id}', { params: { path: { id } }, body }));

export const correctCredits = ({ companyID, ...body }: CreditCorrectionInput & { companyID: string }) =>
  answerTo(api.POST('/manage/v1/companies/{id}/credits', { params: { path: { id: companyID } }, body }));

export const emailProblemsQuery = queryOptions({
  queryKey: operatorKeys.emails,
  queryFn: async ({ signal }) => {
    const params = { query: { limit: MAX_EMAIL_PROBLEMS } };
    return (await answerTo(api.GET('/manage/v1/accounts/email-problems', { params, signal }))).problems;
  },
});

export const changeEmail = ({ accountID, email }: { accountID: string; email: string }) =>
  answerTo(api.PUT('/manage/v1/accounts/{id}/email', { params: { path: { id: accountID } }, body: { email } }));
