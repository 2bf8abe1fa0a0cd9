import { MAX_VARIABLES } from '@batuta/matrix';
import { webhook, type Mapping } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Get, Param, Post, Put } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { ListBodyPipe } from '../http/body-pipes';
import { OriginPath } from '../http/path.dto';
import { OriginAccessService } from '../origins/origin-access.service';
import { CompanyCallerOf, toCaller, type CompanyCaller } from '../sessions/caller';
import { DRAFT_BODY, MappingAnswer, MappingDraft, MappingEntryInput } from './mapping.dto';

const audience = 'company';
const entriesBody = new ListBodyPipe(MappingDraft, 'entries', MAX_VARIABLES);
const NEEDS_EDIT = 'Needs the permission `edit`.';

/**
 * The routes of webhook mappings: which field of a payload fills which variable. A mapping is drafted, then saved, then
 * published with the process.
 */
@ApiTags('Webhook mapping')
@Controller(`${BASE_PATH}/origins/:id/mapping`)
export class MappingController {
  constructor(
    private readonly rpc: Rpc,
    private readonly origins: OriginAccessService,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The mapping of a webhook origin in its three states',
    description: NEEDS_EDIT,
    audience,
    answer: MappingAnswer,
    errors: ['NOT_FOUND'],
  })
  async read(@CompanyCallerOf() { accountID }: CompanyCaller, @Param() { id }: OriginPath): Promise<Mapping> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.mapping, { id });
  }

  @Put('draft')
  @ApiExtraModels(MappingEntryInput)
  @ApiBody(DRAFT_BODY)
  @Endpoint({
    summary: 'Replace the unsaved mapping of a webhook origin',
    description: `It has no effect but on previews and debug runs, and keeps the process from being published until it is saved. ${NEEDS_EDIT}`,
    audience,
    answer: MappingAnswer,
    errors: ['NOT_FOUND'],
  })
  async draft(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: OriginPath,
    @Body(entriesBody) entries: MappingEntryInput[],
  ): Promise<Mapping> {
    await this.origins.require(caller.accountID, id);
    return this.rpc.call(webhook.draftMapping, { id, entries, ...toCaller(caller) });
  }

  @Post('save')
  @Endpoint({
    summary: 'Save the mapping of a webhook origin',
    description: `Production applies it once the process is published. What is now mapped to a Secreto is removed from captures, older ones too, for good. ${NEEDS_EDIT}`,
    audience,
    answer: MappingAnswer,
    errors: ['NOT_FOUND', 'BAD_REQUEST'],
  })
  async save(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: OriginPath): Promise<Mapping> {
    await this.origins.require(caller.accountID, id);
    return this.rpc.call(webhook.saveMapping, { id, ...toCaller(caller) });
  }
}
