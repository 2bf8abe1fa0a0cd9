import type { AuthenticatedCaller } from '@batuta/auth';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authorize } from '../authorization/authorize';
import { CallerOf } from '../http/request';
import { ME_EXAMPLE, MeDto, PONG, PongDto } from './account.dto';

/** The routes of contract 4.1 (ping) and 4.2 (the caller's own account). */
@ApiTags('Account')
@Controller('v1')
export class AccountController {
  @Get('ping')
  @ApiOperation({ summary: 'Is the API there?' })
  @ApiResponse({ status: 200, description: 'It is.', type: PongDto, example: PONG })
  ping(): PongDto {
    return PONG;
  }

  @Get('me')
  @Authorize()
  @ApiOperation({ summary: 'Who am I?' })
  @ApiResponse({
    status: 200,
    description: 'The account of the credential that was sent.',
    type: MeDto,
    example: ME_EXAMPLE,
  })
  me(@CallerOf() { email, name, credentialID, label }: AuthenticatedCaller): MeDto {
    return { account: { email, name, credId: credentialID, credLabel: label } };
  }
}
