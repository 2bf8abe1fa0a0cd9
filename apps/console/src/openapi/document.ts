import { withErrorExamples } from '@batuta/openapi';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { SESSION_COOKIE } from '../sessions/cookie';
import { RESPONSE_HEADERS } from './headers';
import { declareUnknownFieldsRefused, declareOneFieldRequired } from './body-rules';
import { moveExamplesIntoSchemas } from './parameter-examples';

const DOCUMENT_DESCRIPTION = `Everything that people do with Batuta but run third-party calls: companies and accounts,
environments, processes with their Matrix and flow, keys, shares, webhooks, secrets, manual runs.

Log in with \`POST /manage/v1/session\`, then send \`Authorization: Bearer <token>\`. Browsers may use the cookie of the
login instead; then every call that changes something needs \`Content-Type: application/json\`.

Lists are newest first: \`limit\` from 1 to 500 (default 100), and \`before\` = the id of the last item to read on.
Secrets appear once, in the 201 that makes them; only the URLs of webhooks can be read again. Every answer carries \`X-Request-Id\`.`;

/** The OpenAPI document of the management API, made from its routes and DTO classes. */
export function describeApi(app: INestApplication): OpenAPIObject {
  const options = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Batuta management API')
    .setDescription(DOCUMENT_DESCRIPTION)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The token of a session.' }, 'bearer')
    .addCookieAuth(SESSION_COOKIE, { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE }, 'cookie')
    .build();
  const document = SwaggerModule.createDocument(app, options, {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '').toLowerCase()}.${method}`,
  });
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => path.startsWith('/manage/')));
  declareUnknownFieldsRefused(document);
  declareOneFieldRequired(document);
  moveExamplesIntoSchemas(document);
  return withErrorExamples({
    ...document,
    paths,
    components: { ...document.components, headers: RESPONSE_HEADERS },
  });
}
