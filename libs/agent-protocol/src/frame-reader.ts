import { Ajv2020, str, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { agentFrameSchemas, type AgentFrame } from './agent-frames';
import { routerFrameSchemas, type RouterFrame } from './router-frames';

let compiler: Ajv2020 | undefined;

/** Creates the compiler at its first use; otherwise the start of every service that imports this library would take longer. */
function schemaCompiler(): Ajv2020 {
  if (compiler) return compiler;
  compiler = new Ajv2020({
    strict: true,
    removeAdditional: true,
    allowUnionTypes: true,
    // With this option an error contains the schema of the wrong field, and its description says what the field may contain.
    verbose: true,
  });
  // Lengths count code points. This keyword counts them only if needed; ajv's own counts them in every text, which
  // takes milliseconds for a long evidence.
  compiler.removeKeyword('maxLength');
  compiler.addKeyword({
    keyword: 'maxLength',
    type: 'string',
    schemaType: 'number',
    compile: (max: number) => (text: string) => text.length <= max || codePointsOf(text, 2 * max) <= max,
    error: { message: ({ schemaCode }) => str`must NOT have more than ${schemaCode} characters` },
  });
  return compiler;
}

/** `problem` reads `field.path: what is wrong with it`; `frame: …` when no single field is to blame. */
export type FrameReadResult<Frame> = { frame: Frame } | { problem: string };

/** Checks parsed JSON against the schema of the frame that its `type` names. Each schema is compiled once, at its first use. */
class FrameReader<Frame extends { type: string }> {
  private readonly compiled = new Map<string, ValidateFunction<Frame>>();
  private readonly schemas: ReadonlyMap<string, object>;

  constructor(schemas: Record<Frame['type'], object>) {
    this.schemas = new Map(Object.entries(schemas));
  }

  get types(): string[] {
    return [...this.schemas.keys()];
  }

  /** Drops unknown fields from `json` in place. Never throws. */
  read(json: unknown): FrameReadResult<Frame> {
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      return { problem: 'frame: must be an object' };
    const validate = this.validatorOf('type' in json ? json.type : undefined);
    if (!validate) return { problem: `type: must be one of ${this.types.join(', ')}` };
    return validate(json) ? { frame: json } : { problem: firstProblem(validate.errors) };
  }

  private validatorOf(type: unknown): ValidateFunction<Frame> | undefined {
    if (typeof type !== 'string') return undefined;
    const known = this.compiled.get(type);
    const schema = this.schemas.get(type);
    if (known || !schema) return known;
    const validate = schemaCompiler().compile<Frame>(schema);
    this.compiled.set(type, validate);
    return validate;
  }
}

/** Reads the frames that agents send; used by routers. */
export const agentFrameReader = new FrameReader<AgentFrame>(agentFrameSchemas);
/** Reads the frames that routers send; used by agents. */
export const routerFrameReader = new FrameReader<RouterFrame>(routerFrameSchemas);

/** Number of code points in a text; Infinity, without counting, for a text of more than `maxUnits` UTF-16 code units. */
function codePointsOf(text: string, maxUnits: number): number {
  if (text.length > maxUnits) return Infinity;
  let codePoints = 0;
  for (const _ of text) codePoints += 1;
  return codePoints;
}

function firstProblem(errors: readonly ErrorObject[] | null | undefined): string {
  const [error] = errors ?? [];
  if (!error) return 'frame: is wrong';
  const missing: unknown = error.params.missingProperty;
  const path = error.instancePath.split('/').slice(1);
  if (typeof missing === 'string') return `${[...path, missing].join('.')}: is missing`;
  return `${path.join('.') || 'frame'}: ${messageOf(error)}`;
}

/** ajv's own message would say a pattern instead of its meaning, and not which values are allowed. */
function messageOf({ keyword, message, params, parentSchema }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${Array.from<unknown>(params.allowedValues).join(', ')}`;
  const { description } = Object(parentSchema);
  if (keyword === 'pattern' && description !== undefined) return `must be ${description}`;
  return message ?? 'is wrong';
}
