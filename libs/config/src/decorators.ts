import { isIP } from 'node:net';
import { splitHosts } from '@batuta/network';
import { Transform } from 'class-transformer';
import { IsDefined, IsIn, IsInt, Matches, Max, Min, ValidateBy, ValidateIf } from 'class-validator';
import { parseSecretKeys, SECRET_KEYS_RULE } from './secret-keys';
import { Secret } from './secrets';

/** A whole number from `min` to `max`, both included, given as text. */
export function Integer(min: number, max: number): PropertyDecorator {
  const message = `must be a whole number from ${min} to ${max}`;
  return combineDecorators(
    // Number() alone also reads 1e3, 0x10, and a space as 0.
    Transform(({ value }: { value: string }) => (/^\s*-?\d+\s*$/.test(value) ? Number(value) : NaN)),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** A URL with one of these schemes, without the spaces around it. Required unless the property has an initial value. */
export function Url(...schemes: string[]): PropertyDecorator {
  return urlOf(schemes, '', (text) => URL.canParse(text));
}

function urlOf(schemes: string[], kind: string, isValid: (text: string) => boolean): PropertyDecorator {
  const prefixes = schemes.map((scheme) => `${scheme}://`);
  return combineDecorators(
    Transform(({ value }: { value: string }) => value.trim()),
    IsDefined({ message: 'is missing' }),
    ValidateBy({
      name: 'isUrlOfScheme',
      validator: {
        validate: (text: string) => isValid(text) && prefixes.some((prefix) => text.startsWith(prefix)),
        defaultMessage: () => `must begin with ${prefixes.join(' or ')} and be a valid URL${kind}`,
      },
    }),
  );
}

/** A name or an address, with or without a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i;

/** A URL with one of these schemes, which may name several hosts: `tls://user@host-1:4222,host-2:4222`. */
export function UrlOfHosts(...schemes: string[]): PropertyDecorator {
  return urlOf(schemes, ' (of one or several hosts)', (text) => {
    const { url, furtherHosts } = splitHosts(text);
    return URL.canParse(url) && furtherHosts.every((host) => HOST.test(host) && URL.canParse(`tls://${host}`));
  });
}

/** A URL with one of these schemes, or empty, which must be the initial value. */
export function OptionalUrl(...schemes: string[]): PropertyDecorator {
  return combineDecorators(
    ValidateIf((_settings, value) => value !== ''),
    Url(...schemes),
  );
}

/** A list separated by commas, each item without the spaces around it and matching `item`. */
export function List(item: RegExp, message: string): PropertyDecorator {
  return combineDecorators(
    Transform(({ value }: { value: string }) => splitAtCommas(value)),
    Matches(item, { each: true, message }),
  );
}

export function LogLevel(): PropertyDecorator {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
  return IsIn(levels, { message: `must be one of ${levels.join(', ')}` });
}

/**
 * Express's `trust proxy`: the number of proxies in front of the service (0: none), or their networks, separated by commas.
 * The property is a `number | string[]`.
 */
export function TrustedProxies(): PropertyDecorator {
  const validator = {
    validate: (value: number | string[]) => typeof value === 'number' || value.every(isProxyNetwork),
    defaultMessage: () =>
      'must be the number of proxies, from 0 to 99, or their networks, separated by commas, such as 10.0.0.0/8',
  };
  return combineDecorators(
    Transform(({ value }: { value: string }) => (/^\d{1,2}$/.test(value) ? Number(value) : splitAtCommas(value))),
    ValidateBy({ name: 'isTrustedProxies', validator }),
  );
}

/** Whether Express takes the text for an address, a network or one of its names of networks. */
function isProxyNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (bits === undefined || (version === 4 && isNetmask(bits))) return true;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Whether the text is a mask of an IPv4 network, such as 255.0.0.0. */
function isNetmask(text: string): boolean {
  const bits = text.split('.').map((byte) => Number(byte).toString(2).padStart(8, '0'));
  return isIP(text) === 4 && /^1+0*$/.test(bits.join(''));
}

/** `k2:<base64 of 32 bytes>,k1:…`: the first key seals, every key unseals. Required. */
export function SecretKeys(): PropertyDecorator {
  const validator = {
    validate: (text: string) => parseSecretKeys(text) !== undefined,
    defaultMessage: () => SECRET_KEYS_RULE,
  };
  return combineDecorators(
    Secret(),
    IsDefined({ message: 'is missing' }),
    ValidateBy({ name: 'isSecretKeys', validator }),
  );
}

function splitAtCommas(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** Applies decorators in this order; Nest's `applyDecorators` is not used because the agent has no Nest. */
function combineDecorators(...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}
