import { ApiProperty } from '@nestjs/swagger';

export class PermissionsAnswer {
  @ApiProperty()
  execute!: boolean;

  @ApiProperty()
  edit!: boolean;

  @ApiProperty()
  api!: boolean;

  @ApiProperty()
  schedule!: boolean;

  @ApiProperty()
  delete!: boolean;

  @ApiProperty()
  share!: boolean;
}
