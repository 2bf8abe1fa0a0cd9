import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { answerTo, api } from '../../api/client';
import type {
  CompanyProcess,
  EventDeliveryStatus,
  EventSubscriptionChange,
  EventSubscriptionInput,
} from '../../api/generated/console-api';
import { PAGE_SIZE, readAllPages } from '../../api/pages';
import { throwTranslated } from './address-refusals';

/** Every key of this feature begins with `events`, because a change of one subscription also changes the list and its deliveries. */
export const eventKeys = { all: ['events'] as const };

/** The largest page of the API. */
const MAX_PAGE_SIZE = 500;

const pathOf = (id: string) => ({ path: { id } });

/** All event subscriptions of the company, oldest first, also those that are switched off. */
export const subscriptionsQuery = queryOptions({
  queryKey: [...eventKeys.all, 'list'],
  queryFn: async ({ signal }) =>
    (await answerTo(api.GET('/manage/v1/company/event-subscriptions', { signal }))).subscriptions,
});

export const readSubscription = (id: string, signal?: AbortSignal) =>
  answerTo(api.GET('/manage/v1/company/event-subscriptions/{id}', { params: pathOf(id), signal }));

export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: [...eventKeys.all, 'one', id],
    queryFn: ({ signal }) => readSubscription(id, signal),
  });

/** The deliveries of a subscription, newest first; without `status` those of every status. */
export const deliveriesQuery = (id: string, status: EventDeliveryStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...eventKeys.all, 'deliveries', id, { status }],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const params = { ...pathOf(id), query: { limit: PAGE_SIZE, before, status } };
      return answerTo(api.GET('/manage/v1/company/event-subscriptions/{id}/deliveries', { params, signal }));
    },
    getNextPageParam: ({ older }) => older?.before,
  });

/** The names of all processes of the company, also of those that the administrator may not read. */
export const companyProcessesQuery = queryOptions({
  queryKey: [...eventKeys.all, 'processes'],
  queryFn: ({ signal }) => {
    const read = async (before: string | undefined) => {
      const params = { query: { limit: MAX_PAGE_SIZE, before } };
      return (await answerTo(api.GET('/manage/v1/company/processes', { params, signal }))).processes;
    };
    return readAllPages(read, ({ processID }: CompanyProcess) => processID, MAX_PAGE_SIZE);
  },
});

/** Adds a subscription; only this answer has its secret. */
export const addSubscription = (body: EventSubscriptionInput) =>
  answerTo(api.POST('/manage/v1/company/event-subscriptions', { body })).catch(throwTranslated);

/** Changes the given fields. Deliveries that wait go to a new address. */
export const changeSubscription = (id: string, body: EventSubscriptionChange) =>
  answerTo(api.PATCH('/manage/v1/company/event-subscriptions/{id}', { params: pathOf(id), body })).catch(
    throwTranslated,
  );

/** Deletes a subscription with its deliveries; those that wait are not attempted again. */
export const removeSubscription = (id: string) =>
  answerTo(api.DELETE('/manage/v1/company/event-subscriptions/{id}', { params: pathOf(id) }));

/** Replaces the secret, which only this answer has. Messages are also signed with the old one for 24 hours, or until the next rotation. */
export const rotateSecret = (id: string) =>
  answerTo(api.POST('/manage/v1/company/event-subscriptions/{id}/secret', { params: pathOf(id) }));

/** Sends one event of the type `test`, also while the subscription is switched off, and waits for its result. No delivery is stored. */
export const sendTestEvent = (id: string) =>
  answerTo(api.POST('/manage/v1/company/event-subscriptions/{id}/test', { params: pathOf(id) }));

/**
 * Sends the dead delivery of one event again, or without `iid` the oldest dead ones, at most 10,000. CONFLICT while the subscription is switched
 * off.
 */
export const redeliver = (id: string, iid?: string) =>
  answerTo(
    iid === undefined
      ? api.POST('/manage/v1/company/event-subscriptions/{id}/deliveries/redeliver', { params: pathOf(id) })
      : api.POST('/manage/v1/company/event-subscriptions/{id}/deliveries/{iid}/redeliver', {
          params: { path: { id, iid } },
        }),
  );
