import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Plan } from '../registry';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { requireChange } from '../http/body-pipes';
import { PageQuery } from '../http/page.dto';
import { PlanPath } from '../http/path.dto';
import { CallerOf, type SessionCaller } from '../sessions/caller';
import { PlanService } from './plan.service';
import { PlanAnswer, PlanChange, PlanInput, PlanList } from './plan.dto';

const audience = 'operator';

@ApiTags('Plans')
@Controller(`${BASE_PATH}/plans`)
export class PlanController {
  constructor(private readonly plans: PlanService) {}

  @Post()
  @Endpoint({ summary: 'Add a plan', audience, answer: PlanAnswer, status: 201, errors: ['CONFLICT'] })
  async add(@CallerOf() caller: SessionCaller, @Body() input: PlanInput): Promise<PlanAnswer> {
    return toAnswer(await this.plans.add(caller, input));
  }

  @Get()
  @Endpoint({ summary: 'List the plans, newest first', audience, answer: PlanList })
  async list(@Query() query: PageQuery): Promise<PlanList> {
    return { plans: (await this.plans.list(query)).map(toAnswer) };
  }

  @Patch(':id')
  @Endpoint({
    summary: 'Change a plan',
    description: 'Acts at once on every company that has it; fewer credits with the next monthly reset.',
    audience,
    answer: PlanAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async change(
    @CallerOf() caller: SessionCaller,
    @Param() { id }: PlanPath,
    @Body(requireChange) change: PlanChange,
  ): Promise<PlanAnswer> {
    return toAnswer(await this.plans.change(caller, id, change));
  }
}

function toAnswer({ createdAt, ...plan }: Plan): PlanAnswer {
  return { ...plan, createdAt: createdAt.toISOString() };
}
