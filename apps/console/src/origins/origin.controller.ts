import { webhook, type Origin } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import type { z } from 'zod';
import type { ConsoleConfig } from '../config';
import { BASE, Endpoint } from '../http/endpoint';
import { done } from '../http/fields';
import { processID, resourceID } from '../http/id.pipe';
import { SchemaPipe } from '../http/schema.pipe';
import { CONFIG } from '../parts';
import { ProcessAccess } from '../processes/process-access';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { hookURL } from './hook-urls';
import { OriginAccess } from './origin-access';
import { originAnswer, originChange, originInput, originList, rotated, rotation } from './origin.schema';
import type { OriginAnswer, OriginChange, OriginInput, Rotated, Rotation } from './origin.schema';

const tag = 'Webhook origins';
const who = 'company';
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;
const NEEDS_EDIT = 'Needs the permission `edit`.';

/** Origins and their URLs; the webhook service keeps them. */
@Controller(BASE)
export class OriginController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccess,
    private readonly origins: OriginAccess,
    @Inject(CONFIG) private readonly config: ConsoleConfig,
  ) {}

  @Post('processes/:pid/origins')
  @Endpoint({
    tag,
    summary: 'Make a webhook origin with its two URLs',
    description: `A process has 10 at most. Whoever knows a URL may call it. ${NEEDS_EDIT}`,
    who,
    params: ['pid'],
    body: originInput,
    answer: originAnswer,
    status: 201,
    errors: [...NO_PROCESS, 'CONFLICT'],
  })
  async add(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Body(new SchemaPipe(originInput)) draft: OriginInput,
  ): Promise<OriginAnswer> {
    await this.access.require(accountID, pid, 'edit');
    return this.toAnswer(await this.rpc.call(webhook.createOrigin, { processID: pid, draft }));
  }

  @Get('processes/:pid/origins')
  @Endpoint({
    tag,
    summary: 'The webhook origins of a process, oldest first',
    description: NEEDS_EDIT,
    who,
    params: ['pid'],
    answer: originList,
    errors: [...NO_PROCESS],
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
  ): Promise<z.infer<typeof originList>> {
    await this.access.require(accountID, pid, 'edit');
    const { origins } = await this.rpc.call(webhook.origins, { processID: pid });
    return { origins: origins.map((origin) => this.toAnswer(origin)) };
  }

  @Patch('origins/:id')
  @Endpoint({
    tag,
    summary: 'Change a webhook origin',
    description: `Acts at once. A signature is replaced as a whole. ${NEEDS_EDIT}`,
    who,
    params: ['id'],
    body: originChange,
    answer: originAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(originChange)) change: OriginChange,
  ): Promise<OriginAnswer> {
    await this.origins.require(accountID, id);
    return this.toAnswer(await this.rpc.call(webhook.changeOrigin, { id, change }));
  }

  @Delete('origins/:id')
  @Endpoint({
    tag,
    summary: 'Delete a webhook origin with its URLs, mapping and captures',
    description: NEEDS_EDIT,
    who,
    params: ['id'],
    answer: done,
    errors: ['NOT_FOUND'],
  })
  async remove(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
  ): Promise<z.infer<typeof done>> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.removeOrigin, { id });
  }

  @Post('origins/:id/rotate')
  @Endpoint({
    tag,
    summary: 'Replace one of the URLs of a webhook origin',
    description: `The old one stops working at once. ${NEEDS_EDIT}`,
    who,
    params: ['id'],
    body: rotation,
    answer: rotated,
    errors: ['NOT_FOUND'],
  })
  async rotate(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
    @Body(new SchemaPipe(rotation)) { url }: Rotation,
  ): Promise<Rotated> {
    await this.origins.require(accountID, id);
    const { devUrl, prodUrl } = this.toAnswer(await this.rpc.call(webhook.rotate, { id, url }));
    return url === 'dev' ? { devUrl } : { prodUrl };
  }

  /** Field by field: the tokens are told as URLs only. */
  private toAnswer({ devToken, prodToken, ...origin }: Origin): OriginAnswer {
    const { id, processID: pid, name, responseMode, waitSeconds, enabled, signature, createdAt } = origin;
    const urlOf = (token: string) => hookURL(this.config.GATEWAY_PUBLIC_URL, pid, token);
    return {
      id,
      processID: pid,
      name,
      responseMode,
      waitSeconds,
      enabled,
      signature: signature && { header: signature.header, toleranceSeconds: signature.toleranceSeconds },
      devUrl: urlOf(devToken),
      prodUrl: urlOf(prodToken),
      createdAt,
    };
  }
}
