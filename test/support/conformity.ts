/**
 * Checks responses against the API document: the status is documented for the operation, and the body fits its schema
 * and has no other fields; so do the events or lines of a stream that is read to its end. Source: contract, first paragraph.
 */

import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

type Json = Record<string, unknown>

interface Response {
  content?: Record<string, { schema?: Json }>
}
type Referred<Thing> = Thing | { $ref: string }
interface Operation {
  operationId?: string
  responses: Record<string, Referred<Response>>
}
export interface Document extends Json {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response>; schemas: Record<string, Json> }
}

interface Answer {
  method: string
  /** Without the query. */
  path: string
  status: number
  headers: Headers
  /** Parsed JSON; undefined for an empty body; the text of anything else. */
  body: unknown
}

/** The document and a response disagree. */
class Nonconformity extends Error {
  override readonly name = 'Nonconformity'
}

/**
 * Closes the objects of the document: an undocumented field is an error, at least in tests. The parts of an `allOf`
 * list the fields of each other.
 */
function close(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) close(item)
  if (typeof value !== 'object' || value === null) return
  for (const [word, part] of Object.entries(value)) if (word !== 'allOf') close(part)
  if ('properties' in value && !('additionalProperties' in value)) Object.assign(value, { additionalProperties: false })
}

/** The events of a whole stream as the document shows them, with the value of each `data`. */
const eventsIn = (text: string): Json[] =>
  text.split('\n\n').flatMap((block) => {
    const lines = block.split('\n').map((line) => /^(\w+): (.*)$/.exec(line)?.slice(1) ?? [])
    const { data, ...fields } = Object.fromEntries(lines) as Record<string, string>
    return data === undefined ? [] : [{ ...fields, data: JSON.parse(data) }]
  })

const linesIn = (text: string): Json[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Of each kind of stream. */
const readers: Record<string, (text: string) => Json[]> = {
  'text/event-stream': eventsIn,
  'application/x-ndjson': linesIn,
}

const pointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

const errorSchema = {
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      additionalProperties: false,
      properties: {
        code: { type: 'string', pattern: '^[a-z][a-z_]*$' },
        message: { type: 'string', minLength: 1 },
        requestId: { type: 'string', minLength: 1 },
        details: { type: 'object' },
      },
    },
  },
}

export class Conformity {
  readonly #document: Document
  readonly #ajv: Ajv2020
  /** By the number of their parts, the most literal ones first. */
  readonly #templates = new Map<number, { template: string; pattern: RegExp; literals: number }[]>()
  readonly #validators = new Map<Json, ValidateFunction>()
  readonly #isError: ValidateFunction

  /** Takes over the document, and closes its objects. */
  constructor(document: Document) {
    close(document.paths)
    close(document.components)
    this.#document = document
    // the document itself is no schema: its parts are compiled when a response is checked against them
    const quickToCompile = { inlineRefs: false, code: { optimize: false } }
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, ...quickToCompile })
    addFormats(this.#ajv)
    this.#ajv.addSchema(document, 'document')
    this.#isError = this.#ajv.compile(errorSchema)
    for (const template of Object.keys(document.paths)) {
      const parts = template.split('/')
      const pattern = new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^/]+\}/g, '[^/]+')}$`)
      const literals = parts.filter((part) => !part.startsWith('{')).length
      const alike = this.#templates.get(parts.length) ?? []
      this.#templates.set(parts.length, alike)
      alike.push({ template, pattern, literals })
    }
    for (const alike of this.#templates.values()) alike.sort((one, other) => other.literals - one.literals)
  }

  /** The documented path for the path of a request; the most literal one when several fit. */
  templateOf(path: string): string | undefined {
    return this.#templates.get(path.split('/').length)?.find(({ pattern }) => pattern.test(path))?.template
  }

  /** Throws `Nonconformity` when the response does not match the document. */
  check(answer: Answer): void {
    const { method, path, status, headers, body } = answer
    const fail = (problem: string): never => {
      throw new Nonconformity(`${method} ${path} answered ${status}: ${problem}\n${JSON.stringify(body)}`)
    }
    if (!headers.get('x-request-id')) fail('there is no X-Request-Id')
    if (status >= 400) this.#checkError(answer, fail)
    const template = this.templateOf(path)
    const documentedMethod = method.toLowerCase()
    const operation = template === undefined ? undefined : this.#document.paths[template]?.[documentedMethod]
    if (!operation || template === undefined) {
      if (status !== 404 && status !== 405) fail('the document has no such operation')
      return
    }
    const documented = operation.responses[status] ?? fail(`${operation.operationId} documents no such status`)
    const [response, place] = this.#resolved(documented, [
      'paths',
      template,
      documentedMethod,
      'responses',
      `${status}`,
    ])
    if (method === 'HEAD') {
      if (body !== undefined) fail('HEAD has a body')
      return
    }
    if (!response.content) {
      if (body !== undefined) fail('no body is documented')
      return
    }
    const mediaType = (headers.get('content-type') ?? '').split(';')[0]!.trim()
    if (!(mediaType in response.content)) fail(`the content type ${mediaType} is not documented`)
    const schema = response.content[mediaType]?.schema
    const { contentSchema } = schema ?? {}
    const at = [...place, 'content', mediaType, 'schema']
    const partsIn = readers[mediaType]
    if (partsIn && contentSchema) {
      const isStream = this.#validator(contentSchema as Json, [...at, 'contentSchema'])
      if (!isStream(partsIn(String(body ?? '')))) fail(this.#ajv.errorsText(isStream.errors, { dataVar: 'stream' }))
    }
    if (mediaType !== 'application/json' || !schema) return
    const validate = this.#validator(schema, at)
    if (!validate(body)) fail(this.#ajv.errorsText(validate.errors, { dataVar: 'body' }))
  }

  #checkError({ method, status, headers, body }: Answer, fail: (problem: string) => never): void {
    const retryAfter = headers.get('retry-after')
    if ((status === 429 || status === 503) && !/^[1-9][0-9]*$/.test(retryAfter ?? ''))
      fail('Retry-After is not a number')
    if (status === 401 && headers.get('www-authenticate') !== 'Bearer') fail('there is no WWW-Authenticate')
    if (status === 405 && !headers.get('allow')) fail('there is no Allow')
    if (method === 'HEAD' || (status === 503 && typeof body === 'object' && body !== null && 'checks' in body)) return
    if (!this.#isError(body)) fail(`it is not an error: ${this.#ajv.errorsText(this.#isError.errors)}`)
    const { requestId } = (body as { error: { requestId: string } }).error
    if (requestId !== headers.get('x-request-id')) fail('requestId and X-Request-Id differ')
  }

  /** Resolves a `$ref` to a response. */
  #resolved(given: Referred<Response>, place: string[]): [Response, string[]] {
    if (!('$ref' in given)) return [given, place]
    const name = given.$ref.split('/').at(-1) as string
    return [this.#document.components.responses[name] as Response, ['components', 'responses', name]]
  }

  #validator(schema: Json, place: readonly string[]): ValidateFunction {
    let validate = this.#validators.get(schema)
    if (!validate) {
      validate = this.#ajv.compile({ $ref: `document#/${place.map(pointer).join('/')}` })
      this.#validators.set(schema, validate)
    }
    return validate
  }
}
