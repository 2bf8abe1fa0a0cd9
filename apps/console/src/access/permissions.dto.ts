import { ApiProperty } from '@nestjs/swagger';

/** What the share of a process allows to an account; every share also allows to read the process, its Matrix and its versions. */
export class PermissionsAnswer {
  @ApiProperty({ description: 'Start the published version: by hand, over the API, and by the replay of a capture.' })
  execute!: boolean;

  @ApiProperty({
    description:
      'Read and change the flow and the webhooks with their captures, change the Matrix and the settings, publish, start debug runs, ' +
      'and read of the audit trail what the account itself did and started.',
  })
  edit!: boolean;

  @ApiProperty({
    description: 'List and revoke the process keys, which only the owner makes. Calls of the API do not need it.',
  })
  api!: boolean;

  @ApiProperty({
    description:
      'Create schedules, which fire only while the account has this permission, and read all schedules of the process.',
  })
  schedule!: boolean;

  @ApiProperty({ description: 'Delete the process.' })
  delete!: boolean;

  @ApiProperty({
    description: 'Read and change the shares of the process, and grant the permissions that the account has itself.',
  })
  share!: boolean;
}
