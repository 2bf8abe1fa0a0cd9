import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  EVENT_NAMES,
  type DeliveryStatus,
  type DisabledReason,
  type EventName,
} from '@batuta/contracts';
import { combineDecorators } from '@batuta/http';
import { ApiProperty } from '@nestjs/swagger';
import { textRule, type FieldOptions } from '../http/field-builders';
import { FlagField, LineField, OneOfField, RawTextField, ResourceIDField, SomeOfField } from '../http/fields';
import { LimitQuery } from '../http/page.dto';
import { EventSubscriptionPath, PathID } from '../http/path.dto';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { isPrintable } from '../http/text';

const MAX_URL_CHARACTERS = 2_000;
/** A cursor is a time and the id of a delivery. */
const MAX_CURSOR_CHARACTERS = 100;

const URL_NOTES = { examples: ['https://erp.example.com/batuta-events'] };
const EVENTS_NOTES = {
  description: 'What is sent: ends of instances by their status, and times of schedules that started nothing.',
};
const PROCESS_NOTES = {
  nullable: true,
  description: 'Only events of this process of the company; null = of all of them.',
};
const ENABLED_NOTES = {
  description: 'While false only test events are sent, and events leave no deliveries. true clears `disabledReason`.',
};

export class EventSubscriptionInput {
  @AddressField(URL_NOTES)
  url!: string;

  @SomeOfField(EVENT_NAMES, EVENTS_NOTES)
  events!: EventName[];

  @ResourceIDField({ ...PROCESS_NOTES, default: null })
  processID: string | null = null;

  @FlagField({ ...ENABLED_NOTES, default: true })
  enabled = true;
}

export class EventSubscriptionChange {
  @AddressField({ ...URL_NOTES, optional: true })
  url?: string;

  @SomeOfField(EVENT_NAMES, { ...EVENTS_NOTES, optional: true })
  events?: EventName[];

  @ResourceIDField({ ...PROCESS_NOTES, optional: true })
  processID?: string | null;

  @FlagField({ ...ENABLED_NOTES, optional: true })
  enabled?: boolean;
}

export class DeliveryPath extends EventSubscriptionPath {
  @PathID('instance')
  iid!: string;
}

export class DeliveriesQuery extends LimitQuery {
  @OneOfField(DELIVERY_STATUSES, { optional: true, description: 'Only deliveries with this status.' })
  status?: DeliveryStatus;

  @LineField({ max: MAX_CURSOR_CHARACTERS, optional: true, description: 'The text in `older`: only older deliveries.' })
  before?: string;
}

export class EventSubscriptionAnswer {
  @IDField()
  id!: string;

  @IDField({ nullable: true, description: 'null = every process of the company.' })
  processID!: string | null;

  @ApiProperty()
  url!: string;

  @ApiProperty({ enum: EVENT_NAMES, enumName: 'EventName', isArray: true, ...EVENTS_NOTES })
  events!: EventName[];

  @ApiProperty({
    description:
      'While false only test events are sent. When Batuta itself sets it to false, `disabledReason` says why.',
  })
  enabled!: boolean;

  @ApiProperty({
    enum: DISABLED_REASONS,
    nullable: true,
    description:
      'Why Batuta itself switched the subscription off: the address answered 410, or no attempt succeeded for days.',
  })
  disabledReason!: DisabledReason | null;

  @TimeField({
    nullable: true,
    description:
      'At most 10 seconds before the latest success of a delivery; null before the first. A test event does not count.',
  })
  lastSuccessAt!: string | null;

  @IntegerField({ description: 'Deliveries that wait for their next attempt, counted up to 10,000.' })
  waiting!: number;

  @IntegerField({ description: 'Deliveries that are dead, counted up to 10,000.' })
  dead!: number;

  @TimeField()
  createdAt!: string;
}

export class EventSubscriptionList {
  @ApiProperty({ type: [EventSubscriptionAnswer] })
  subscriptions!: EventSubscriptionAnswer[];
}

export class EventSubscriptionWithSecretAnswer extends EventSubscriptionAnswer {
  @ApiProperty({
    examples: ['whsec_…'],
    description: 'Signs the messages: the key is what follows `whsec_`, in Base64.',
  })
  secret!: string;
}

export class EventTestAnswer {
  @ApiProperty({ description: 'Whether the address answered with a status from 200 to 299.' })
  ok!: boolean;

  @IntegerField({ nullable: true, description: 'HTTP status of the answer; null without one.' })
  status!: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Why the address did not accept the event, also after an answer other than 2xx; null when `ok`.',
  })
  error!: string | null;

  @IntegerField()
  durationMs!: number;
}

export class EventDeliveryAnswer {
  @IDField({
    description: 'Identifies the delivery: the id of the instance, or for an event of a schedule the id of the event.',
  })
  instanceID!: string;

  @IDField()
  processID!: string;

  @ApiProperty({ enum: EVENT_NAMES, enumName: 'EventName' })
  event!: EventName;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    enumName: 'EventDeliveryStatus',
    description:
      '`waiting`: attempts follow. `dead`: its last attempt failed, or it was ended without a further one, such as when the subscription was ' +
      'switched off; it is sent again only on request.',
  })
  status!: DeliveryStatus;

  @IntegerField({ description: 'Attempts since the delivery was created or last requested again.' })
  attempts!: number;

  @TimeField({ nullable: true, description: 'null unless the delivery waits.' })
  nextAttemptAt!: string | null;

  @IntegerField({ nullable: true, description: 'HTTP status of the answer to the last attempt; null without one.' })
  lastStatus!: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Why the last attempt failed, or why the delivery was ended without a further one; null before either and after a success.',
  })
  lastError!: string | null;

  @TimeField()
  createdAt!: string;

  @TimeField({ nullable: true, description: 'When the delivery ended; null while it waits.' })
  settledAt!: string | null;
}

export class OlderDeliveriesCursor {
  @ApiProperty()
  before!: string;
}

export class EventDeliveryList {
  @ApiProperty({ type: [EventDeliveryAnswer] })
  deliveries!: EventDeliveryAnswer[];

  @ApiProperty({
    type: OlderDeliveriesCursor,
    required: false,
    description: 'Older ones exist: `?before=` reads them.',
  })
  older?: OlderDeliveriesCursor;
}

export class RedeliveryAnswer {
  @IntegerField({ description: 'Number of deliveries that wait again; only dead ones do.' })
  redelivered!: number;
}

/** The URL to which events are sent. Only its form is checked here; the webhook service decides which hosts it calls, and whether without TLS. */
function AddressField(options: FieldOptions): PropertyDecorator {
  const isAddress = (text: string) => isPrintable(text) && /^https?:\/\//i.test(text) && URL.canParse(text);
  return RawTextField(
    { ...options, min: 1, max: MAX_URL_CHARACTERS, format: 'uri' },
    combineDecorators(textRule('address', 'must be a URL that begins with https://', isAddress)),
  );
}
