import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { AuditFeedPage, AuditFeedQuery } from './feed.dto';
import { AuditFeedService } from './feed.service';

const DESCRIPTION =
  'For programs that collect the audit trail: a poller that passes `next` as `after` reads every event once. An event appears ' +
  'only once it is `lagSeconds` old, because a slow transaction may commit an earlier event after a later one.';

@ApiTags('Audit')
@Controller(BASE_PATH)
export class AuditFeedController {
  constructor(private readonly feed: AuditFeedService) {}

  @Get('company/audit/feed')
  @Endpoint({
    summary: 'The events of the company and its instances, oldest first',
    description: DESCRIPTION,
    audience: 'administrator',
    answer: AuditFeedPage,
  })
  ofCompany(@CompanyCallerOf() { companyID }: CompanyCaller, @Query() query: AuditFeedQuery): Promise<AuditFeedPage> {
    return this.feed.page(companyID, query);
  }

  @Get('audit/feed')
  @Endpoint({
    summary: 'The events of all companies and of the installation, oldest first',
    description: DESCRIPTION,
    audience: 'operator',
    answer: AuditFeedPage,
  })
  ofAll(@Query() query: AuditFeedQuery): Promise<AuditFeedPage> {
    return this.feed.page(null, query);
  }
}
