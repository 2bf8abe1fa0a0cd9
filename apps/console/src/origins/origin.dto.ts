import { RESPONSE_MODES, type ResponseMode } from '@batuta/contracts';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { IDField, IntegerField, TimeField } from '../http/answers';
import { Flag, Line, ObjectField, OneOf, Pattern, RawText, WholeNumber } from '../http/fields';

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const DAY_SECONDS = 86_400;
const MAX_WAIT_SECONDS = 120;

const NAME = { examples: ['Payments'] };
const RESPONSE_MODE = {
  description: '`Imediata` answers with the instanceID; `Aguardar` holds the call until the process answers.',
};
const WAIT_SECONDS = { description: 'How long `Aguardar` waits, from the arrival of the call.' };
const ENABLED = { description: 'While false both URLs refuse calls with WEBHOOK_DISABLED.' };
const SIGNATURE = {
  nullable: true,
  description:
    'Calls must carry an HMAC-SHA-256 of their body in this header, as `sha256=<hex>` (GitHub) or, over `<t>.<body>`, as `t=<seconds>,v1=<hex>` (Stripe). null = none is asked for.',
};

export class SignatureInput {
  @Pattern(HEADER, 'is no name of a header', { examples: ['X-Hub-Signature-256'] })
  header!: string;

  /** As the sender has it: neither trimmed nor normalized. */
  @RawText({ min: 1, max: 200, format: 'password', description: 'Never returned.' })
  secret!: string;

  @WholeNumber(1, DAY_SECONDS, {
    nullable: true,
    default: null,
    description: 'How old the timestamp of a signature may be; null = calls need none.',
  })
  toleranceSeconds: number | null = null;
}

export class OriginInput {
  @Line(NAME)
  name!: string;

  @OneOf(RESPONSE_MODES, { ...RESPONSE_MODE, default: 'Imediata' })
  responseMode: ResponseMode = 'Imediata';

  @WholeNumber(1, MAX_WAIT_SECONDS, { ...WAIT_SECONDS, default: 30 })
  waitSeconds = 30;

  @Flag({ ...ENABLED, default: true })
  enabled = true;

  @ObjectField(() => SignatureInput, { ...SIGNATURE, default: null })
  signature: SignatureInput | null = null;
}

export class OriginChange {
  @Line({ ...NAME, optional: true })
  name?: string;

  @OneOf(RESPONSE_MODES, { ...RESPONSE_MODE, optional: true })
  responseMode?: ResponseMode;

  @WholeNumber(1, MAX_WAIT_SECONDS, { ...WAIT_SECONDS, optional: true })
  waitSeconds?: number;

  @Flag({ ...ENABLED, optional: true })
  enabled?: boolean;

  @ObjectField(() => SignatureInput, { ...SIGNATURE, optional: true })
  signature?: SignatureInput | null;
}

export class SignatureAnswer {
  @ApiProperty()
  header!: string;

  @IntegerField({ nullable: true })
  toleranceSeconds!: number | null;
}

const DEV_URL: ApiPropertyOptions = {
  type: 'string',
  format: 'uri',
  description: 'Captures payloads and runs nothing.',
};
const PROD_URL: ApiPropertyOptions = { type: 'string', format: 'uri', description: 'Starts the published version.' };

export class OriginAnswer {
  @IDField()
  id!: string;

  @IDField()
  processID!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: RESPONSE_MODES })
  responseMode!: ResponseMode;

  @IntegerField()
  waitSeconds!: number;

  @ApiProperty()
  enabled!: boolean;

  @ApiProperty({ type: SignatureAnswer, nullable: true, description: 'Without its secret.' })
  signature!: SignatureAnswer | null;

  @ApiProperty(DEV_URL)
  devUrl!: string;

  @ApiProperty(PROD_URL)
  prodUrl!: string;

  @TimeField()
  createdAt!: string;
}

export class OriginList {
  @ApiProperty({ type: [OriginAnswer] })
  origins!: OriginAnswer[];
}

export class Rotation {
  @OneOf(['dev', 'prod'])
  url!: 'dev' | 'prod';
}

export class RotatedDevUrl {
  @ApiProperty(DEV_URL)
  devUrl!: string;
}

export class RotatedProdUrl {
  @ApiProperty(PROD_URL)
  prodUrl!: string;
}
