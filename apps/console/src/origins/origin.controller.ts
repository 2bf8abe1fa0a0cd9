import { webhook, type Origin } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Delete, Get, Inject, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { ConsoleConfig } from '../config';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { requireChange } from '../http/body-pipes';
import { ProcessPath, OriginPath } from '../http/path.dto';
import { CONSOLE_CONFIG } from '../config';
import { ProcessAccessService } from '../access/process-access.service';
import { CompanyCallerOf, toCaller, type CompanyCaller } from '../sessions/caller';
import { OriginAccessService } from './origin-access.service';
import {
  OriginAnswer,
  OriginChange,
  OriginInput,
  OriginList,
  RotatedDevUrl,
  RotatedProdUrl,
  Rotation,
} from './origin.dto';

const audience = 'company';
const NEEDS_EDIT = 'Needs the permission `edit`.';

/** Webhook origins and their URLs, which the webhook service stores. */
@ApiTags('Webhook origins')
@Controller(BASE_PATH)
export class OriginController {
  constructor(
    private readonly rpc: Rpc,
    private readonly access: ProcessAccessService,
    private readonly origins: OriginAccessService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  @Post('processes/:pid/origins')
  @Endpoint({
    summary: 'Make a webhook origin with its two URLs',
    description: `A process has 10 at most. Whoever knows a URL may call it. ${NEEDS_EDIT}`,
    audience,
    answer: OriginAnswer,
    status: 201,
    errors: [...PROCESS_ERRORS, 'CONFLICT', 'QUOTA_EXCEEDED'],
  })
  async add(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Body() draft: OriginInput,
  ): Promise<OriginAnswer> {
    await this.access.require(caller.accountID, pid, 'edit');
    return this.toAnswer(await this.rpc.call(webhook.createOrigin, { processID: pid, draft, ...toCaller(caller) }));
  }

  @Get('processes/:pid/origins')
  @Endpoint({
    summary: 'The webhook origins of a process, oldest first',
    description: NEEDS_EDIT,
    audience,
    answer: OriginList,
    errors: PROCESS_ERRORS,
  })
  async list(@CompanyCallerOf() { accountID }: CompanyCaller, @Param() { pid }: ProcessPath): Promise<OriginList> {
    await this.access.require(accountID, pid, 'edit');
    const { origins } = await this.rpc.call(webhook.origins, { processID: pid });
    return { origins: origins.map((origin) => this.toAnswer(origin)) };
  }

  @Patch('origins/:id')
  @Endpoint({
    summary: 'Change a webhook origin',
    description: `Acts at once. A signature is replaced as a whole. ${NEEDS_EDIT}`,
    audience,
    answer: OriginAnswer,
    errors: ['NOT_FOUND'],
  })
  async change(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: OriginPath,
    @Body(requireChange) change: OriginChange,
  ): Promise<OriginAnswer> {
    await this.origins.require(caller.accountID, id);
    return this.toAnswer(await this.rpc.call(webhook.changeOrigin, { id, change, ...toCaller(caller) }));
  }

  @Delete('origins/:id')
  @Endpoint({
    summary: 'Delete a webhook origin with its URLs, mapping and captures',
    description: NEEDS_EDIT,
    audience,
    answer: Done,
    errors: ['NOT_FOUND'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: OriginPath): Promise<Done> {
    await this.origins.require(caller.accountID, id);
    return this.rpc.call(webhook.removeOrigin, { id, ...toCaller(caller) });
  }

  @Post('origins/:id/rotate')
  @Endpoint({
    summary: 'Replace one of the URLs of a webhook origin',
    description: `The old one stops working at once. ${NEEDS_EDIT}`,
    audience,
    answer: [RotatedDevUrl, RotatedProdUrl],
    errors: ['NOT_FOUND'],
  })
  async rotate(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id }: OriginPath,
    @Body() { url }: Rotation,
  ): Promise<RotatedDevUrl | RotatedProdUrl> {
    await this.origins.require(caller.accountID, id);
    const { devUrl, prodUrl } = this.toAnswer(await this.rpc.call(webhook.rotate, { id, url, ...toCaller(caller) }));
    return url === 'dev' ? { devUrl } : { prodUrl };
  }

  /** Lists each field explicitly, so that tokens appear only inside of the URLs. */
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

/** The complete URL that a webhook sender calls (contract 4.17). */
function hookURL(gateway: string, processID: string, token: string): string {
  return `${gateway}/v1/hooks/${processID}/${token}`;
}
