import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BASE_PATH, Endpoint, PROCESS_ERRORS } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { ProcessPath } from '../http/path.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { ShareService } from './share.service';
import { ShareAnswer, ShareInput, ShareList, SharePath, SharesQuery } from './share.dto';

const audience = 'company';

@ApiTags('Shares')
@Controller(`${BASE_PATH}/processes/:pid/shares`)
export class ShareController {
  constructor(private readonly shares: ShareService) {}

  @Get()
  @Endpoint({
    summary: 'Whom the process is shared with, newest first',
    description: 'Needs the permission `share`.',
    audience,
    answer: ShareList,
    errors: PROCESS_ERRORS,
  })
  list(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid }: ProcessPath,
    @Query() query: SharesQuery,
  ): Promise<ShareList> {
    return this.shares.list(caller, pid, query);
  }

  @Get(':email')
  @Endpoint({
    summary: 'The share of an e-mail address',
    description: 'Needs the permission `share`.',
    audience,
    answer: ShareAnswer,
    errors: [...PROCESS_ERRORS, 'NOT_FOUND'],
  })
  find(@CompanyCallerOf() caller: CompanyCaller, @Param() { pid, email }: SharePath): Promise<ShareAnswer> {
    return this.shares.find(caller, pid, email);
  }

  @Put(':email')
  @Endpoint({
    summary: 'Share the process with an account, or change its share',
    description:
      'Needs the permission `share`; an account that is not the owner grants only what it has itself or the share has already. ' +
      'Any e-mail is accepted, but not that of the owner from an account of its company: the answer does not tell whether an account has it. ' +
      'An account that is added later gets the share at its first login.',
    audience,
    answer: ShareAnswer,
    errors: [...PROCESS_ERRORS, 'QUOTA_EXCEEDED'],
  })
  put(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { pid, email }: SharePath,
    @Body() granted: ShareInput,
  ): Promise<ShareAnswer> {
    return this.shares.put(caller, pid, email, granted);
  }

  @Delete(':email')
  @Endpoint({
    summary: 'End a share',
    description: 'Needs the permission `share`.',
    audience,
    answer: Done,
    errors: [...PROCESS_ERRORS, 'BAD_REQUEST', 'NOT_FOUND'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { pid, email }: SharePath): Promise<Done> {
    await this.shares.remove(caller, pid, email);
    return { ok: true };
  }
}
