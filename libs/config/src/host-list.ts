import { parseHostRule } from '@batuta/network';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** A setting that lists hosts, separated by commas. */
export function HostList(): PropertyDecorator {
  const validator = {
    validate: (entries: string[]) => entries.every((entry) => parseHostRule(entry) !== undefined),
    defaultMessage: () =>
      'must list hosts, separated by commas: name.example.com, *.example.com, 10.0.0.0/8, each with :port if it is for one port',
  };
  return (target, property) => {
    Transform(({ value }: { value: string }) => value.split(',').map((entry) => entry.trim()))(target, property);
    ValidateBy({ name: 'isHostList', validator })(target, property);
  };
}
