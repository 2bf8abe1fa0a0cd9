import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { PageQuery } from '../http/page.dto';
import { CompanyCallerOf, type CompanyCaller } from '../sessions/caller';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { CompanyProcessList } from './process.dto';
import { ProcessService } from './process.service';

@ApiTags('Processes')
@Controller(`${BASE_PATH}/company/processes`)
export class CompanyProcessController {
  constructor(private readonly processes: ProcessService) {}

  @Get()
  @Endpoint({
    summary: 'The names of all processes of the company, newest first',
    description: 'Administrators choose the process of an event subscription from them; the list grants no access.',
    audience: 'administrator',
    answer: CompanyProcessList,
  })
  async list(@CompanyCallerOf() { companyID }: CompanyCaller, @Query() query: PageQuery): Promise<CompanyProcessList> {
    const processes = await this.processes.listOfCompany(companyID, query);
    const names = await this.processes.ownerNames(processes);
    return {
      processes: processes.map(({ id, accountID, processName }) => ({
        processID: id,
        processName,
        ownerName: names.get(accountID) ?? '',
      })),
    };
  }
}
