import { ofKind, type Manifest } from './manifest';
import { environmentOf } from './manifest-parts';
import { SERVICES } from './settings';
import { settingsOfService, type DocumentedSetting } from '../settings-document';

interface Schema {
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
}

/** Settings that only `npm start` and tests use, so that the chart does not accept them. */
const NOT_FOR_INSTALLATIONS = ['DEMO_ACCOUNT_EMAIL', 'SCHEDULE_TEST_CLOCK'];
const TEXT: Schema = { type: 'string' };

/**
 * The JSON schema by which Helm refuses a misspelt value. It is made from the chart's default values and from the settings of the services,
 * except those to which the overlay production gives a value elsewhere.
 */
export async function chartSchema(defaults: object, production: Manifest[]): Promise<object> {
  const ofServices = new Map(
    await Promise.all(
      SERVICES.map(async (name) => [name, (await settingsOfService(name)).filter(isFree(name, production))] as const),
    ),
  );
  const { settings: _, serviceSettings: __, ...others } = Object.fromEntries(Object.entries(defaults));
  const schema = shapeOf(others);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schema,
    properties: {
      ...schema.properties,
      settings: textsNamed(namesWithOneMeaning([...ofServices.values()])),
      serviceSettings: {
        type: 'object',
        properties: Object.fromEntries(
          [...ofServices].map(([service, settings]) => [service, textsNamed(settings.map(({ name }) => name))]),
        ),
        additionalProperties: false,
      },
    },
  };
}

/** Whether an operator may set the value of a setting in the chart: it is not a secret, and no template sets it elsewhere. */
function isFree(service: string, production: Manifest[]): (setting: DocumentedSetting) => boolean {
  const container = ofKind(production, 'Deployment').find(({ metadata }) => metadata.name === service)?.spec.template
    .spec.containers[0];
  const shared =
    ofKind(production, 'ConfigMap').find(({ metadata }) => metadata.name === 'batuta-settings')?.data ?? {};
  const changeable = new Set(Object.keys(shared).filter((name) => name !== 'HOST' && name !== 'PORT'));
  const given = container ? Object.keys(environmentOf(container, production).values) : [];
  return ({ name, secret }) =>
    !secret && !NOT_FOR_INSTALLATIONS.includes(name) && (changeable.has(name) || !given.includes(name));
}

/** Names of settings with the same default in every service that has them; any other setting is set for each service separately. */
function namesWithOneMeaning(services: DocumentedSetting[][]): string[] {
  const all = services.flat();
  const defaultsOf = (wanted: string) => new Set(all.filter(({ name }) => name === wanted).map((one) => one.default));
  return [...new Set(all.map(({ name }) => name))].filter((name) => defaultsOf(name).size === 1);
}

/** A schema of values that are texts, because Helm writes a large number as `1e+06`. */
const textsNamed = (names: string[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(names.toSorted().map((name) => [name, TEXT])),
  additionalProperties: false,
});

function shapeOf(value: unknown): Schema {
  if (typeof value === 'number') return { type: 'integer' };
  if (typeof value !== 'object' || value === null) return TEXT;
  const entries = Object.entries(value);
  // Annotations have any names, and `null` removes one.
  if (entries.some(([name]) => name.includes('/')))
    return { type: 'object', additionalProperties: { type: ['string', 'null'] } };
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, inner]) => [name, shapeOf(inner)])),
    additionalProperties: false,
  };
}
