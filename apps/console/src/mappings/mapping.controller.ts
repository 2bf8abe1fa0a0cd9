import { webhook, type Mapping } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Put } from '@nestjs/common';
import { BASE, Endpoint } from '../http/endpoint';
import { resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { OriginAccess } from '../origins/origin-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { mappingAnswer, mappingDraft, type MappingDraft } from './mapping.schema';

const tag = 'Webhook mapping';
const who = 'company';
const params = ['id'];
const NEEDS_EDIT = 'Needs the permission `edit`.';

/** Which field of a payload fills which variable: drafted, then saved, then published with the process. */
@Controller(`${BASE}/origins/:id/mapping`)
export class MappingController {
  constructor(
    private readonly rpc: Rpc,
    private readonly origins: OriginAccess,
  ) {}

  @Get()
  @Endpoint({
    tag,
    summary: 'The mapping of a webhook origin in its three states',
    description: NEEDS_EDIT,
    who,
    params,
    answer: mappingAnswer,
    errors: ['NOT_FOUND'],
  })
  async read(@OfCompany() { accountID }: CompanyCaller, @Param('id', resourceID) id: string): Promise<Mapping> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.mapping, { id });
  }

  @Put('draft')
  @Endpoint({
    tag,
    summary: 'Replace the unsaved mapping of a webhook origin',
    description: `It has no effect but on previews and debug runs, and keeps the process from being published until it is saved. ${NEEDS_EDIT}`,
    who,
    params,
    body: mappingDraft,
    answer: mappingAnswer,
    errors: ['NOT_FOUND'],
  })
  async draft(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(mappingDraft, 'entries')) entries: MappingDraft,
  ): Promise<Mapping> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.draftMapping, { id, entries });
  }

  @Post('save')
  @Endpoint({
    tag,
    summary: 'Save the mapping of a webhook origin',
    description: `Production applies it once the process is published. What is now mapped to a Secreto is removed from captures, older ones too, for good. ${NEEDS_EDIT}`,
    who,
    params,
    answer: mappingAnswer,
    errors: ['NOT_FOUND', 'BAD_REQUEST'],
  })
  async save(@OfCompany() { accountID }: CompanyCaller, @Param('id', resourceID) id: string): Promise<Mapping> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.saveMapping, { id });
  }
}
