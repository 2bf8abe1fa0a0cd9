import type { ErrorCode } from '@batuta/errors';
import { describeRefusals, listedRefusals, withErrorExamples } from '@batuta/openapi';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { ACCESS_CODES, SECURITY_SCHEMES, takeAccess, type RouteCredential } from './access';
import { headersOf, REQUEST_ID_PARAMETER, RESPONSE_HEADERS } from './headers';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

const DOCUMENT_DESCRIPTION = `Start, follow, control and schedule automation processes from other systems.

Send the account credential as \`Authorization: Bearer …\`, and, where a call is about one process, the key of that process
as \`X-Process-Key\`. Bodies are JSON in UTF-8, at most 1 MB.

Every refusal is \`{"error": {"code", "message"}}\`: the code is for programs and stays, the message is for people. Unknown
paths and methods are 404 \`NOT_FOUND\`. Answers and their lists may gain fields.

Requests are counted per minute for each credential, company and webhook origin; \`RateLimit\` says what is left, and
429 comes with \`Retry-After\`.`;

/** The OpenAPI document of the external API, made from the decorators of the controllers and the DTO classes. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Batuta external API')
    .setDescription(DOCUMENT_DESCRIPTION)
    .setVersion('1')
    .addServer('/')
    .addSecurity('accountCredential', SECURITY_SCHEMES.accountCredential)
    .addSecurity('processKey', SECURITY_SCHEMES.processKey)
    .build();
  const document = SwaggerModule.createDocument(app, options, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) =>
      // Nest numbers the operation ids of a route with two paths; the second path lies outside of /v1.
      `${controller.replace(/Controller$/, '').toLowerCase()}.${method.replace(/\[\d+\]$/, '')}`,
  });
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/v1/'));
  return withErrorExamples({
    ...document,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, describePath(item)])),
    components: { ...document.components, headers: RESPONSE_HEADERS },
  });
}

/** Adds what all routes have in common: the request id, the refusals with their codes, and the headers of answers. */
function describePath(item: PathItem): PathItem {
  const described = { ...item };
  for (const method of HTTP_METHODS) {
    const operation = item[method];
    if (operation) described[method] = describeOperation(operation);
  }
  return described;
}

function describeOperation(documented: Operation): Operation {
  const { access, operation } = takeAccess(documented);
  const complete = describeRefusals(operation, codesOf(access, operation));
  const responses = Object.entries(complete.responses).map(([status, response]) => [
    status,
    { ...response, headers: { ...headersOf(access, Number(status)), ...Object(response).headers } },
  ]);
  const requestID = { ...REQUEST_ID_PARAMETER, in: 'header' as const, required: false };
  return {
    ...complete,
    parameters: [...(operation.parameters ?? []), requestID].toSorted(byPlace),
    responses: Object.fromEntries(responses),
  };
}

type Parameter = NonNullable<Operation['parameters']>[number];

const PARAMETER_PLACES: unknown[] = ['path', 'query', 'header'];

function byPlace(one: Parameter, other: Parameter): number {
  return PARAMETER_PLACES.indexOf(Object(one).in) - PARAMETER_PLACES.indexOf(Object(other).in);
}

function codesOf(access: RouteCredential, operation: Operation): ErrorCode[] {
  const { parameters = [], requestBody } = operation;
  const takesInput = parameters.length > 0 || requestBody !== undefined;
  return [
    ...ACCESS_CODES[access],
    ...(takesInput ? (['BAD_REQUEST'] as const) : []),
    ...(requestBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_CHARSET'] as const) : []),
    ...listedRefusals(operation),
    'INTERNAL',
  ];
}
