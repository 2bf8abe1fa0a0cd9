import type { DurationPercentiles, Outcome, Statistics, StatisticsBucket } from '@batuta/contracts';
import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, OneOfField, ResourceIDField } from '../http/fields';
import { IDField, IntegerField, TimeField } from '../http/response-fields';
import { RunAnswerItem } from './run-list.dto';

export class StatisticsQuery {
  @DateTimeField({
    description: 'Inclusive. Only ended instances count: at their start, or at their acceptance if they never ran.',
  })
  from!: string;

  @DateTimeField({ description: 'Exclusive; at most 31 days after `from`.' })
  to!: string;

  @OneOfField(['hour', 'day'], { default: 'day' })
  by: 'hour' | 'day' = 'day';

  @ResourceIDField({ optional: true, description: 'Only of this process.' })
  process?: string;
}

/**
 * The number of ended instances by outcome. FINALIZED has the status `success`, TERMINATED `terminated` and STOPPED `stopped`; STEP_LIMIT_REACHED,
 * ERROR and CRASHED (its agent was lost) have `error`.
 */
export class OutcomeCounts implements Record<Outcome, number> {
  @IntegerField()
  FINALIZED!: number;

  @IntegerField()
  TERMINATED!: number;

  @IntegerField()
  STEP_LIMIT_REACHED!: number;

  @IntegerField()
  ERROR!: number;

  @IntegerField()
  STOPPED!: number;

  @IntegerField()
  CRASHED!: number;
}

class Durations implements DurationPercentiles {
  @IntegerField({ nullable: true, description: 'Half of the durations are not longer; null when no instance ran.' })
  p50Ms!: number | null;

  @IntegerField({ nullable: true, description: 'Of 100 durations 95 are not longer; null when no instance ran.' })
  p95Ms!: number | null;
}

export class BucketAnswer extends Durations implements StatisticsBucket {
  @TimeField({ description: 'The beginning of the hour or of the day in America/Sao_Paulo.' })
  at!: string;

  @ApiProperty({ type: OutcomeCounts })
  outcomes!: OutcomeCounts;
}

export class StatisticsAnswer extends Durations implements Statistics {
  @ApiProperty({ type: [BucketAnswer], description: 'Those without an instance are left out.' })
  buckets!: BucketAnswer[];

  @ApiProperty({ type: OutcomeCounts })
  outcomes!: OutcomeCounts;

  @TimeField({
    description:
      'Where the count begins: after `from` when the period has too many instances, because at most about 50,000 are counted.',
  })
  since!: string;
}

export class EnvironmentOverview {
  @IDField()
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @IntegerField({ description: 'Agents that are connected now.' })
  agents!: number;

  @IntegerField({ description: 'Instances that wait, also those that others started; at most 1,000 are counted.' })
  queued!: number;

  @IntegerField({
    description:
      'Includes those that are being handed to an agent, and those that others started; at most 1,000 are counted.',
  })
  running!: number;
}

export class CreditsLeft {
  @IntegerField({ description: 'What the company can spend now.' })
  balance!: number;

  @IntegerField({ description: 'What the plan gives each month.' })
  monthly!: number;
}

export class RunCount {
  @IntegerField()
  count!: number;

  @ApiProperty({ description: 'True when there may be further ones: at most the newest 100 are counted.' })
  more!: boolean;
}

export class ActiveRunCounts {
  @ApiProperty({ type: RunCount })
  queued!: RunCount;

  @ApiProperty({ type: RunCount, description: 'Includes those that are being handed to an agent.' })
  running!: RunCount;
}

export class HomeAnswer {
  @ApiProperty({
    type: [RunAnswerItem],
    description: 'The newest 20 that wait or run, among the newest 5,000 instances.',
  })
  active!: RunAnswerItem[];

  @ApiProperty({
    type: ActiveRunCounts,
    required: false,
    description: 'Of the instances that the caller sees. Absent while replicas of an earlier release answer.',
  })
  activeCounts?: ActiveRunCounts;

  @ApiProperty({
    type: [RunAnswerItem],
    description:
      'The newest 20 of those that were accepted today, in America/Sao_Paulo, and ended with the status `error`, without debug runs, among the ' +
      'newest 900 that failed or were terminated.',
  })
  failed!: RunAnswerItem[];

  @ApiProperty({
    type: StatisticsAnswer,
    description:
      'Of the instances that were accepted today, in America/Sao_Paulo, and that the list of runs shows to the caller; by the hour of their start.',
  })
  today!: StatisticsAnswer;

  @ApiProperty({ type: [EnvironmentOverview], description: 'The newest 100 that the caller sees.' })
  environments!: EnvironmentOverview[];

  @ApiProperty({ type: CreditsLeft, description: 'Of the company.' })
  credits!: CreditsLeft;
}
