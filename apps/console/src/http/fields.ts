import { z } from 'zod';

// Lone surrogates cannot be stored as UTF-8; the others would break a line, a log or a terminal.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const UNPRINTABLE_IN_PROSE = /[\p{Cs}]|(?![\n\t\r])\p{Cc}/u;
const EMAIL = /^[^\s@<>()",;:\\]+@[^\s@<>()",;:\\]+$/u;

export const bounded = (least: number, most: number) =>
  z
    .string()
    .min(least, { error: least === 1 ? 'is empty' : `has fewer than ${least} characters` })
    .max(most, { error: `is longer than ${most} characters` });

/** Characters of which Unicode form NFC makes one, at the most. */
const COMPOSED = 4;

/**
 * Unicode form NFC of a text that may have so many characters. One that will be too long in any case stays as it is: to put
 * a megabyte of accents in order takes a minute.
 */
export function composed(text: string, most: number): string {
  return text.length > COMPOSED * most ? text : text.normalize('NFC');
}

const normalised = (most: number) => z.string().transform((text) => composed(text.trim(), most).trim());

/** A name or label: one line, trimmed, in Unicode form NFC. */
export const line = (most = 120, least = 1) =>
  normalised(most)
    .pipe(bounded(least, most).refine((text) => !UNPRINTABLE.test(text), { error: 'has control characters' }))
    .meta({ minLength: least, maxLength: most });

/** A description: several lines, may be empty. */
export const prose = (most = 2000) =>
  normalised(most)
    .pipe(bounded(0, most).refine((text) => !UNPRINTABLE_IN_PROSE.test(text), { error: 'has control characters' }))
    .meta({ maxLength: most });

/** A short word such as `windows` or `prod`. */
export const word = () =>
  normalised(40)
    .pipe(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/, {
        error: 'must be 1 to 40 letters, digits, dots, dashes or underscores',
      }),
    )
    .meta({ minLength: 1, maxLength: 40 });

/** Lower case, so that one person cannot have two accounts. */
export const email = () =>
  normalised(254)
    .pipe(
      bounded(3, 254)
        .transform((text) => text.toLowerCase())
        .pipe(
          z
            .string()
            .refine((text) => EMAIL.test(text) && !UNPRINTABLE.test(text), { error: 'is not an e-mail address' }),
        ),
    )
    .meta({ minLength: 3, maxLength: 254, examples: ['ana@example.com'] });

/** Not trimmed: spaces are part of it. */
export const password = () =>
  z
    .string()
    .transform((text) => composed(text, 200))
    .pipe(bounded(10, 200).refine((text) => !UNPRINTABLE.test(text), { error: 'has control characters' }))
    .meta({ minLength: 10, maxLength: 200, format: 'password' });

export const whole = (least: number, most: number) => z.int().min(least).max(most);

/** An id of a resource in a body. */
export const id = () =>
  z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, { error: 'is not an id' }))
    .meta({ format: 'uuid' });

/** A time to come in ISO 8601 with a zone; null or absent = never. */
export const expiry = () =>
  z
    .string()
    .pipe(z.iso.datetime({ offset: true, error: 'is not a time in ISO 8601, such as 2030-01-31T00:00:00Z' }))
    .transform((text) => new Date(text))
    .refine((time) => time.getTime() > Date.now(), { error: 'is in the past' })
    .nullish()
    .transform((time) => time ?? null)
    .meta({ format: 'date-time', examples: ['2030-01-31T00:00:00Z'] });

/** A change: every field may be absent, but not all of them. */
export const change = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .partial()
    .refine((fields) => Object.keys(fields).length > 0, { error: 'has no field to change' });

/** `limit` and, to read on, `before` = the id of the last item seen. Newest first. */
export const page = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: 'must be a whole number from 1 to 500' })
    .transform(Number)
    .pipe(whole(1, 500))
    .default(100)
    .meta({ type: 'integer', minimum: 1, maximum: 500, pattern: undefined }),
  before: id().optional().meta({ format: 'uuid', description: 'The id of the last item read.' }),
});

export type Page = z.infer<typeof page>;

/** For lists that have no cursor. */
export const limited = page.pick({ limit: true });

export const done = z.object({ ok: z.literal(true) });
