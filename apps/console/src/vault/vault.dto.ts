import { ApiProperty } from '@nestjs/swagger';
import { TimeField } from '../http/response-fields';
import { textRule } from '../http/field-builders';
import { PatternField, RawTextField } from '../http/fields';

export const VAULT_KEY_PATTERN = /^[A-Za-z0-9_.-]{1,80}$/;
export const VAULT_KEY_RULE = 'must be 1 to 80 letters, digits, underscores, dots or dashes';
const isUnicode = textRule('unicode', 'is not Unicode text', (text) => !/\p{Cs}/u.test(text));

export class VaultPath {
  /** The name of the secret, which a step field reads as `{vault.KEY}`. */
  @PatternField(VAULT_KEY_PATTERN, VAULT_KEY_RULE)
  key!: string;
}

export class VaultInput {
  /** The value is kept as it was sent, line breaks included, because it may be a private key. */
  @RawTextField({ min: 1, max: 10_000, format: 'password', examples: ['s3cret'] }, isUnicode)
  value!: string;
}

export class VaultKeyAnswer {
  @ApiProperty()
  key!: string;

  @TimeField({ description: 'When a value was last put, also the same one again.' })
  updatedAt!: string;
}

export class VaultList {
  @ApiProperty({ type: [VaultKeyAnswer] })
  keys!: VaultKeyAnswer[];
}
