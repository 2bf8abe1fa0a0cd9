import { answerTo } from '@batuta/client';
import type {
  EventDeliveryList,
  EventDeliveryStatus,
  EventSubscriptionAnswer,
  EventName,
} from '@batuta/client/console-types';
import type { Context } from '../context';
import { CommandFailure, refusal, usageError } from '../exit-codes';
import { collectOption } from './action';
import { parseLimit } from './whole-number';
import { processIDOf } from '../connections/named-resources';
import type { Registration } from './registration';

const EVENTS: readonly EventName[] = [
  'instance.success',
  'instance.error',
  'instance.terminated',
  'instance.stopped',
  'schedule.failed',
  'schedule.skipped',
];
const DELIVERY_STATUSES: readonly EventDeliveryStatus[] = ['waiting', 'delivered', 'dead'];
const MAX_PAGE_ITEMS = 500;

interface CreateOptions {
  event?: string[];
  process?: string;
}

interface DeliveriesOptions {
  status?: string;
  limit: string;
}

interface RedeliverOptions {
  run?: string;
  allDead?: boolean;
}

export function registerEvents({ addNoun }: Registration): void {
  addNoun('events', 'addresses that get signed messages when runs end or schedules fail (administrators)')
    .addVerb('list', 'show the event subscriptions of the company', async ({ console, output }) => {
      const list = await answerTo(console.GET('/manage/v1/company/event-subscriptions'));
      output.table(list, list.subscriptions, [
        { title: 'SUBSCRIPTION', of: ({ id }) => id },
        { title: 'ADDRESS', of: ({ url }) => url },
        { title: 'EVENTS', of: ({ events }) => events.join(',') },
        { title: 'PROCESS', of: ({ processID }) => processID },
        { title: 'STATE', of: stateOf },
        { title: 'WAITING', of: ({ waiting }) => waiting },
        { title: 'DEAD', of: ({ dead }) => dead },
      ]);
    })
    .addVerb<CreateOptions>('create <url>', 'subscribe an address; its secret is shown once', subscribe, (command) =>
      command
        .option('--event <name>', `${EVENTS.join(', ')}; repeatable, all of them unless given`, collectOption)
        .option('--process <process>', 'only events of this process'),
    )
    .addVerb('switch <subscription> <on|off>', 'switch a subscription on or off', switchSubscription)
    .addVerb('remove <subscription>', 'remove a subscription with its deliveries', async (context, [id = '']) => {
      await answerTo(context.console.DELETE('/manage/v1/company/event-subscriptions/{id}', pathOf(id)));
      context.output.show({ id, removed: true }, `Removed ${id}.`);
    })
    .addVerb('test <subscription>', 'send one test event; fails unless the address accepts it', testSubscription)
    .addVerb(
      'rotate <subscription>',
      'replace the secret; the new one is shown once, the old one signs for 24 hours more',
      async ({ console, output }, [id = '']) => {
        const path = '/manage/v1/company/event-subscriptions/{id}/secret';
        const rotated = await answerTo(console.POST(path, pathOf(id)));
        output.show(rotated, rotated.secret);
      },
    )
    .addVerb<DeliveriesOptions>(
      'deliveries <subscription>',
      'show the newest deliveries',
      async (context, [id = ''], options) => {
        const list = await readDeliveries(context, id, options);
        context.output.table(list, list.deliveries, [
          { title: 'RUN OR EVENT', of: ({ instanceID }) => instanceID },
          { title: 'EVENT', of: ({ event }) => event },
          { title: 'STATUS', of: ({ status }) => status },
          { title: 'ATTEMPTS', of: ({ attempts }) => attempts },
          { title: 'ANSWER', of: ({ lastStatus }) => lastStatus },
          { title: 'NEXT', of: ({ nextAttemptAt }) => nextAttemptAt },
          { title: 'ERROR', of: ({ lastError }) => lastError },
        ]);
      },
      (command) =>
        command
          .addOption(
            command.createOption('--status <status>', 'only deliveries with this status').choices(DELIVERY_STATUSES),
          )
          .option('--limit <number>', 'how many', '50'),
    )
    .addVerb<RedeliverOptions>('redeliver <subscription>', 'send dead deliveries again', redeliver, (command) =>
      command
        .option('--run <run>', 'only the delivery of this run or event')
        .option('--all-dead', 'all dead deliveries'),
    );
}

const pathOf = (id: string) => ({ params: { path: { id } } });

function stateOf({ enabled, disabledReason }: EventSubscriptionAnswer): string {
  if (enabled) return 'on';
  return disabledReason === null ? 'off' : `off: ${disabledReason}`;
}

async function subscribe({ console, output }: Context, [url = '']: string[], options: CreateOptions): Promise<void> {
  const events = options.event?.map(eventNameOf) ?? [...EVENTS];
  const processID = options.process === undefined ? null : await processIDOf(console, options.process);
  const body = { url, events, processID };
  const created = await answerTo(console.POST('/manage/v1/company/event-subscriptions', { body }));
  output.show(created, `${created.id}\n${created.secret}`);
}

function eventNameOf(text: string): EventName {
  const event = EVENTS.find((name) => name === text);
  if (event) return event;
  throw usageError(`--event ${JSON.stringify(text)}: must be one of ${EVENTS.join(', ')}`);
}

async function switchSubscription({ console, output }: Context, [id = '', state = '']: string[]): Promise<void> {
  if (state !== 'on' && state !== 'off') throw usageError('The second argument must be on or off.');
  const init = { ...pathOf(id), body: { enabled: state === 'on' } };
  const changed = await answerTo(console.PATCH('/manage/v1/company/event-subscriptions/{id}', init));
  output.show(changed, `The subscription is ${state}.`);
}

async function testSubscription({ console, output }: Context, [id = '']: string[]): Promise<void> {
  const result = await answerTo(console.POST('/manage/v1/company/event-subscriptions/{id}/test', pathOf(id)));
  const answered = result.status === null ? 'No answer' : `Status ${result.status}`;
  output.show(result, `${answered} after ${result.durationMs} ms.`);
  if (!result.ok) throw refusal(`The address did not accept the test event: ${result.error ?? answered}.`);
}

async function readDeliveries(
  { console }: Context,
  id: string,
  { status, limit }: DeliveriesOptions,
): Promise<EventDeliveryList> {
  const path = '/manage/v1/company/event-subscriptions/{id}/deliveries';
  const wanted = DELIVERY_STATUSES.find((one) => one === status);
  const list: EventDeliveryList = { deliveries: [] };
  let missing = parseLimit(limit);
  let before: string | undefined;
  do {
    const query = { status: wanted, before, limit: Math.min(missing, MAX_PAGE_ITEMS) };
    const page = await answerTo(console.GET(path, { params: { path: { id }, query } }));
    list.deliveries.push(...page.deliveries);
    list.older = page.older;
    missing -= page.deliveries.length;
    before = page.older?.before;
  } while (missing > 0 && before !== undefined);
  return list;
}

async function redeliver(
  { console, output }: Context,
  [id = '']: string[],
  { run, allDead }: RedeliverOptions,
): Promise<void> {
  // One of the two options is required, so that a forgotten option does not send thousands of messages again.
  if ((run === undefined) === (allDead !== true)) {
    throw new CommandFailure('usage', 'Say which deliveries: either one run, or all dead ones.', '--run or --all-dead');
  }
  const base = '/manage/v1/company/event-subscriptions/{id}/deliveries';
  const result = await answerTo(
    run === undefined
      ? console.POST(`${base}/redeliver`, pathOf(id))
      : console.POST(`${base}/{iid}/redeliver`, { params: { path: { id, iid: run } } }),
  );
  output.show(result, `Deliveries to be sent again: ${result.redelivered}.`);
}
