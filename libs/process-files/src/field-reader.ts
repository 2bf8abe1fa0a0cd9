import { isRecord, type JsonRecord } from './json-shapes';
import { importRefusal } from './refusal';

/** Reads the fields of a file; each refusal names the file and the field. */
export class FieldReader {
  private readonly readNames = new Set<string>();

  private constructor(
    private readonly place: string,
    private readonly record: JsonRecord,
  ) {}

  static of(place: string, value: unknown): FieldReader {
    if (!isRecord(value)) throw importRefusal(`${place}: must be an object`);
    return new FieldReader(place, value);
  }

  text(name: string): string {
    return this.check(name, isText, 'must be a text');
  }

  textOrNull(name: string): string | null {
    return this.check(name, isTextOrNull, 'must be a text or null');
  }

  number(name: string): number {
    return this.check(name, isNumber, 'must be a number');
  }

  flag(name: string): boolean {
    return this.check(name, isFlag, 'must be true or false');
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.text(name);
    const word = words.find((one) => one === value);
    return word ?? this.refuse(name, `must be one of ${words.join(', ')}`);
  }

  texts(name: string): string[] {
    return this.list(name).map((item, index) =>
      typeof item === 'string' ? item : this.refuse(`${name}/${index}`, 'must be a text'),
    );
  }

  list(name: string): unknown[] {
    return this.check(name, isList, 'must be a list');
  }

  /** The value of any type, without a check; undefined when the field is absent. */
  any(name: string): unknown {
    this.readNames.add(name);
    return this.record[name];
  }

  has(name: string): boolean {
    return Object.hasOwn(this.record, name);
  }

  /** How a refusal names the field. */
  placeOf(name: string): string {
    return `${this.place}: ${name}`;
  }

  /** Refuses fields that were not read, because an unknown name is probably a typing mistake. */
  end(): void {
    const unknown = Object.keys(this.record).find((name) => !this.readNames.has(name));
    if (unknown !== undefined) this.refuse(unknown, 'is no field of this file');
  }

  private check<T>(name: string, holds: (value: unknown) => value is T, rule: string): T {
    const value = this.any(name);
    return holds(value) ? value : this.refuse(name, this.has(name) ? rule : `is missing; it ${rule}`);
  }

  private refuse(name: string, rule: string): never {
    throw importRefusal(`${this.placeOf(name)}: ${rule}`);
  }
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isList = (value: unknown): value is unknown[] => Array.isArray(value);
