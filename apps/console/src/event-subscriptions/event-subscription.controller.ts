import {
  eventSubscription,
  type EventSubscription,
  type EventSubscriptionWithSecret,
  type SubscriptionScope,
} from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { requireChange } from '../http/body-pipes';
import { EventSubscriptionPath } from '../http/path.dto';
import { Done } from '../http/response-fields';
import { CompanyCallerOf, toCaller, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import {
  DeliveriesQuery,
  DeliveryPath,
  EventDeliveryList,
  EventSubscriptionAnswer,
  EventSubscriptionChange,
  EventSubscriptionInput,
  EventSubscriptionList,
  EventSubscriptionWithSecretAnswer,
  EventTestAnswer,
  RedeliveryAnswer,
} from './event-subscription.dto';
import { EventSubscriptionAccessService } from './event-subscription-access.service';

const audience = 'administrator';

/** Event subscriptions of the caller's company. The webhook service stores them and records the audit events of their changes. */
@ApiTags('Event subscriptions')
@Controller(`${BASE_PATH}/company/event-subscriptions`)
export class EventSubscriptionController {
  constructor(
    private readonly rpc: Rpc,
    private readonly subscriptions: EventSubscriptionAccessService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The event subscriptions of the company, oldest first',
    audience,
    answer: EventSubscriptionList,
  })
  async list(@CompanyCallerOf() { companyID }: CompanyCaller): Promise<EventSubscriptionList> {
    const { subscriptions } = await this.rpc.call(eventSubscription.list, { companyID });
    return { subscriptions: subscriptions.map(toAnswer) };
  }

  @Post()
  @Endpoint({
    summary: 'Subscribe an address to events',
    description: 'Each event is a signed POST to the address. The secret of the signature is shown this once.',
    audience,
    answer: EventSubscriptionWithSecretAnswer,
    status: 201,
    errors: ['QUOTA_EXCEEDED'],
  })
  async add(
    @CompanyCallerOf() caller: CompanyCaller,
    @Body() draft: EventSubscriptionInput,
  ): Promise<EventSubscriptionWithSecretAnswer> {
    await this.subscriptions.requireOwnProcess(caller.companyID, draft.processID);
    return toAnswerWithSecret(await this.rpc.call(eventSubscription.create, { ...scopeOf(caller), draft }));
  }

  @Get(':id')
  @Endpoint({ summary: 'An event subscription', audience, answer: EventSubscriptionAnswer, errors: ['NOT_FOUND'] })
  async read(
    @CompanyCallerOf() { companyID }: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
  ): Promise<EventSubscriptionAnswer> {
    return toAnswer(await this.subscriptions.find(companyID, id));
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change an event subscription, or switch it on or off',
    description: 'Deliveries that wait go to the new address.',
    audience,
    answer: EventSubscriptionAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
    @Body(requireChange) change: EventSubscriptionChange,
  ): Promise<EventSubscriptionAnswer> {
    await this.subscriptions.requireOwnProcess(caller.companyID, change.processID);
    return toAnswer(await this.rpc.call(eventSubscription.change, { ...scopeOf(caller), id, change }));
  }

  @Delete(':id')
  @Endpoint({
    summary: 'Delete an event subscription',
    description: 'Its deliveries can no longer be read, and are removed soon after.',
    audience,
    answer: Done,
    errors: ['NOT_FOUND'],
  })
  remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: EventSubscriptionPath): Promise<Done> {
    return this.rpc.call(eventSubscription.remove, { ...scopeOf(caller), id });
  }

  @Post(':id/secret')
  @Endpoint({
    summary: 'Replace the secret of an event subscription',
    description:
      'The new one is shown this once. For 24 hours messages carry the signatures of both; a further rotation ends the oldest one at once.',
    audience,
    answer: EventSubscriptionWithSecretAnswer,
    status: 201,
    errors: ['NOT_FOUND'],
  })
  async rotate(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
  ): Promise<EventSubscriptionWithSecretAnswer> {
    return toAnswerWithSecret(await this.rpc.call(eventSubscription.rotateSecret, { ...scopeOf(caller), id }));
  }

  @Post(':id/test')
  @Endpoint({
    summary: 'Send one test event to the address of an event subscription',
    description: 'Its `type` is `test`. It is sent once, also while the subscription is switched off, and not stored.',
    audience,
    answer: EventTestAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  test(
    @CompanyCallerOf() { companyID }: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
  ): Promise<EventTestAnswer> {
    return this.subscriptions.sendTestEvent(companyID, id);
  }

  @Get(':id/deliveries')
  @Endpoint({
    summary: 'The deliveries of an event subscription, newest first',
    audience,
    answer: EventDeliveryList,
    errors: ['NOT_FOUND'],
  })
  async deliveries(
    @CompanyCallerOf() { companyID }: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
    @Query() { status, before, limit }: DeliveriesQuery,
  ): Promise<EventDeliveryList> {
    const request = { companyID, id, status, before, limit };
    const { deliveries, next } = await this.rpc.call(eventSubscription.deliveries, request);
    return { deliveries, ...(next !== undefined && { older: { before: next } }) };
  }

  @Post(':id/deliveries/redeliver')
  @Endpoint({
    summary: 'Send all dead deliveries of an event subscription again',
    description:
      'They begin with their first attempt, the oldest 10,000 at most. Refused while the subscription is switched off.',
    audience,
    answer: RedeliveryAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  redeliverAll(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: EventSubscriptionPath,
  ): Promise<RedeliveryAnswer> {
    return this.rpc.call(eventSubscription.redeliver, { ...scopeOf(caller), id });
  }

  @Post(':id/deliveries/:iid/redeliver')
  @Endpoint({
    summary: 'Send the dead delivery of one event again',
    description: 'It begins with its first attempt. Refused while the subscription is switched off.',
    audience,
    answer: RedeliveryAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  redeliver(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id, iid: instanceID }: DeliveryPath,
  ): Promise<RedeliveryAnswer> {
    return this.rpc.call(eventSubscription.redeliver, { ...scopeOf(caller), id, instanceID });
  }
}

function scopeOf(caller: CompanyCaller): SubscriptionScope {
  return { companyID: caller.companyID, ...toCaller(caller) };
}

/** Copies field by field, so that a field that the webhook service adds does not appear in answers. */
function toAnswer(subscription: EventSubscription): EventSubscriptionAnswer {
  const { id, processID, url, events, enabled, disabledReason, lastSuccessAt, waiting, dead, createdAt } = subscription;
  return { id, processID, url, events, enabled, disabledReason, lastSuccessAt, waiting, dead, createdAt };
}

function toAnswerWithSecret(subscription: EventSubscriptionWithSecret): EventSubscriptionWithSecretAnswer {
  return Object.assign(toAnswer(subscription), { secret: subscription.secret });
}
