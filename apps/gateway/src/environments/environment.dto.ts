import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** An environment as callers see it (contract 2.2). */
@ApiSchema({ name: 'Environment' })
export class EnvironmentDto {
  @ApiProperty({ format: 'uuid', description: 'What start and schedule creation take.' })
  environmentID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty()
  description!: string;

  @ApiProperty({ description: 'At least one agent is connected now, whether or not it can run a given process.' })
  online!: boolean;

  @ApiProperty({
    description:
      'True: starts that no connected agent can run wait in its queue. False: they are refused with `AGENT_OFFLINE`.',
  })
  offlineFlow!: boolean;

  @ApiProperty({ description: 'Such as `prod`; a word that its owner chose, which has no effect.' })
  envType!: string;

  @ApiProperty({ description: 'Such as `windows`; a word that its owner chose, and not what an agent reported.' })
  os!: string;

  @ApiProperty({ description: 'Every account of its company may use it, and not only its owner.' })
  shared!: boolean;
}

@ApiSchema({ name: 'EnvironmentList' })
export class EnvironmentListDto {
  @ApiProperty({ type: [EnvironmentDto] })
  environments!: EnvironmentDto[];
}

export const ENVIRONMENTS_EXAMPLE: EnvironmentListDto = {
  environments: [
    {
      environmentID: '01931f7a-9c1b-7c55-8f3e-2f6f3a1d0c12',
      name: 'Office machine',
      description: '',
      online: true,
      offlineFlow: true,
      envType: 'prod',
      os: 'windows',
      shared: false,
    },
  ],
};
