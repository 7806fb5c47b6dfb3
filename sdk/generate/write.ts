/** The generated files of the SDK, from the API document. */
import openapiTypes, { astToString } from 'openapi-typescript'
import { type Answer, type ApiDocument, eventTypesOf, operationsOf, type Parameter, parameterType } from './document.ts'
import { inputName, type Method, methodsOf, resourceName } from './methods.ts'

const heading = (what: string) =>
  `/** ${what} Generated from the API document by \`bun sdk/generate.ts\`: change nothing here. */\n`

const comment = (lines: string[], indent: string) => {
  const text = lines.join('\n').replaceAll('*/', '*\\/').split('\n')
  return text.length === 1
    ? `${indent}/** ${text[0]} */`
    : [`${indent}/**`, ...text.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join('\n')
}

/** The schemas of the API, each under its name. */
async function schemas(document: ApiDocument): Promise<string> {
  const { openapi, info, components } = document
  const nodes = await openapiTypes(
    JSON.stringify({ openapi, info, paths: {}, components: { schemas: components.schemas } }),
    { defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
  )
  const types = astToString(nodes).replace(/^export type (\$defs|operations|paths|webhooks) = .*\n/gm, '')
  const events = eventTypesOf(document).sort()
  return `${heading('The schemas of the API.')}\n${types}
/** The body of a webhook delivery; \`type\` determines the kind. */
export type WebhookEvent =
${events.map((name) => `    | ${name}`).join('\n')};
`
}

const resultType = (answer: Answer): string => {
  switch (answer.kind) {
    case 'list':
      return answer.pagination ? `List<${answer.type}, ${answer.pagination}>` : `List<${answer.type}>`
    case 'data':
    case 'body':
      return `Promise<${answer.type}>`
    case 'nothing':
      return 'Promise<void>'
    case 'text':
      return 'Promise<string>'
    case 'events':
      return 'AsyncGenerator<StreamEvent, void, undefined>'
    case 'response':
      return 'Promise<Response>'
  }
}

const takesInput = ({ parameters, body }: Method) => parameters.length > 0 || body !== undefined
const isOptional = ({ parameters, body }: Method) =>
  !body?.required && parameters.every(({ required }) => required !== true)

function inputType(method: Method): string {
  const field = ({ name, required, description, schema }: Parameter) =>
    `${description ? `${comment([description], '  ')}\n` : ''}  ${name}${required ? '' : '?'}: ${parameterType(schema)}\n`
  const fields = `{\n${method.parameters.map(field).join('')}}`
  const of = comment([`What \`${method.resource}.${method.name}\` takes.`], '')
  if (!method.body) return `${of}\nexport interface ${inputName(method)} ${fields}\n`
  const parts = method.parameters.length > 0 ? `${fields} & ${method.body.type}` : method.body.type
  return `${of}\nexport type ${inputName(method)} = ${parts}\n`
}

function signature(method: Method): string {
  const lines = [`${method.summary}: \`${method.method} ${method.path}\`.`]
  if (method.description) lines.push('', method.description)
  const input = takesInput(method) ? `input${isOptional(method) ? '?' : ''}: ${inputName(method)}, ` : ''
  return `${comment(lines, '  ')}\n  ${method.name}(${input}options?: RequestOptions): ${resultType(method.answer)}\n`
}

/** The names of schemas that a text uses. */
const usedIn = (text: string, document: ApiDocument) => {
  const words = new Set(text.replace(/\/\*\*[\s\S]*?\*\//g, '').match(/\b[A-Z]\w*/g))
  return Object.keys(document.components.schemas).filter((name) => words.has(name))
}

function resources(document: ApiDocument, methods: Map<string, Method[]>): string {
  const inputs = [...methods.values()].flat().filter(takesInput).map(inputType)
  const interfaces = [...methods].map(
    ([resource, all]) =>
      `${comment([`\`troupe.${resource}\`.`], '')}\nexport interface ${resourceName(resource)} {\n${all.map(signature).join('\n')}}\n`,
  )
  // `runs` is written by hand on top of these
  const names = [...methods.keys()].filter((name) => name !== 'runs')
  const text = [...inputs, ...interfaces].join('\n')
  return `${heading('The operations of the API, as methods of resources.')}
import type { List } from '../client/list.ts'
import type { RequestOptions } from '../client/options.ts'
import { type Call, resourceOf } from '../client/resource.ts'
import type { StreamEvent } from '../client/stream-event.ts'
import { operations } from './operations.ts'
import type {
${usedIn(text, document)
  .map((name) => `  ${name},`)
  .join('\n')}
} from './schemas.ts'

${text}
/** Every resource of the API except \`runs\`. */
export class Resources {
${names.map((name) => `  readonly ${name}: ${resourceName(name)}`).join('\n')}

  constructor(call: Call) {
${names.map((name) => `    this.${name} = resourceOf<${resourceName(name)}>(call, operations.${name})`).join('\n')}
  }
}
`
}

/** The facts about each operation that the client needs to call it. */
function operationTable(methods: Map<string, Method[]>): string {
  const facts = ({ method, path, parameters, body, keyed, answer }: Method) => {
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
    return {
      method,
      path,
      ...(query.length > 0 && { query }),
      ...(body && { body: true }),
      ...(keyed && { keyed: true }),
      answer: answer.kind,
      ...(answer.kind === 'list' && answer.items && { items: answer.items }),
    }
  }
  const table = [...methods].map(([resource, all]) => {
    const rows = all.map((method) => `    ${method.name}: ${JSON.stringify(facts(method))},`)
    return `  ${resource}: {\n${rows.join('\n')}\n  },`
  })
  return `${heading('How each operation is called.')}
import type { OperationFacts } from '../client/resource.ts'

export const operations = {
${table.join('\n')}
} satisfies Record<string, Record<string, OperationFacts>>
`
}

/** The generated files by name, with their expected content. */
export async function generatedFiles(document: ApiDocument): Promise<Record<string, string>> {
  const methods = methodsOf(operationsOf(document))
  return {
    'schemas.ts': await schemas(document),
    'resources.ts': resources(document, methods),
    'operations.ts': operationTable(methods),
  }
}
