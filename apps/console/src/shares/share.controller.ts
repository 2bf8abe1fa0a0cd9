import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import type { z } from 'zod';
import { BASE, Endpoint } from '../http/endpoint';
import { done, email, limited } from '../http/fields';
import { processID } from '../http/id.pipe';
import { FieldPipe, SchemaPipe } from '../http/schema.pipe';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { shareAnswer, shareInput, shareList, type ShareAnswer, type ShareInput } from './share.schema';
import { Shares } from './shares';

const tag = 'Shares';
const who = 'company';
const params = ['pid', 'email'];
const NO_PROCESS = ['INVALID_PROCESS_ID', 'PROCESS_NOT_FOUND'] as const;
const emailInPath = new FieldPipe('email', email());

@Controller(`${BASE}/processes/:pid/shares`)
export class ShareController {
  constructor(private readonly shares: Shares) {}

  @Get()
  @Endpoint({
    tag,
    summary: 'Whom the process is shared with, newest first',
    description: 'Needs the permission `share`.',
    who,
    params: ['pid'],
    query: limited,
    answer: shareList,
    errors: [...NO_PROCESS],
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Query(new SchemaPipe(limited)) { limit }: z.output<typeof limited>,
  ): Promise<z.infer<typeof shareList>> {
    return { shares: await this.shares.list(accountID, pid, limit) };
  }

  @Put(':email')
  @Endpoint({
    tag,
    summary: 'Share the process with an account, or change its share',
    description: 'Needs the permission `share`; only the owner grants what it does not have itself.',
    who,
    params,
    body: shareInput,
    answer: shareAnswer,
    errors: [...NO_PROCESS, 'NOT_FOUND'],
  })
  put(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Param('email', emailInPath) address: string,
    @Body(new SchemaPipe(shareInput)) wanted: ShareInput,
  ): Promise<ShareAnswer> {
    return this.shares.put(accountID, pid, address, wanted);
  }

  @Delete(':email')
  @Endpoint({
    tag,
    summary: 'End a share',
    description: 'Needs the permission `share`.',
    who,
    params,
    answer: done,
    errors: [...NO_PROCESS, 'BAD_REQUEST', 'NOT_FOUND'],
  })
  async remove(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('pid', processID) pid: string,
    @Param('email', emailInPath) address: string,
  ): Promise<z.infer<typeof done>> {
    await this.shares.remove(accountID, pid, address);
    return { ok: true };
  }
}
