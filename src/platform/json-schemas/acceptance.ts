/**
 * Checks whether an author's JSON Schema can be used. An accepted schema is compiled later without another check. Slow for
 * large schemas: `checks.ts` decides where it runs. Source: contract 3, "JSON Schemas"; contract 4, "Schemas of tenants".
 */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { Issue } from '../http/answers/errors.ts'
import { compile } from './compiler.ts'
import { Looks } from './looks.ts'
import { refusalsOf } from './refusals.ts'
import { sentence } from './sentence.ts'
import type { JsonSchema } from './structure.ts'

/** The most schemas that may visit one value. */
const looksMax = 1_000
const issuesMax = 100

const latestDrafts = /^https?:\/\/json-schema\.org\/draft\/(?:2020-12|2019-09)\/schema#?$/
const olderDrafts = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

let metaschemas: Promise<{ latest: ValidateFunction; older: ValidateFunction }> | undefined

/** The issues of the schema, below `path`, up to a hundred; empty if it can be used. */
export async function issuesWith(schema: JsonSchema, path: string): Promise<Issue[]> {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema
  const isOlder = typeof $schema === 'string' && olderDrafts.test($schema)
  if (!isOlder && !(typeof $schema === 'string' && latestDrafts.test($schema))) {
    return [{ path: `${path}/$schema`, message: 'Must be JSON Schema draft 2020-12, 2019-09 or draft-07.' }]
  }
  metaschemas ??= loadMetaschemas()
  const metaschema = (await metaschemas)[isOlder ? 'older' : 'latest']
  const errors = metaschema(schema) ? [] : (metaschema.errors ?? [])
  const issues = [...firstOfEach(errors, path), ...refusalsOf(schema, path)]
  if (issues.length > 0) return issues.slice(0, issuesMax)
  if (!isFoldedTightly(schema)) {
    return [{ path, message: 'Refers to itself endlessly, or its references expand too far.' }]
  }
  if (fansOut(schema)) {
    const message =
      'Refers to itself more than once for the same part of a value, which multiplies the work at each level: refer to itself once.'
    return [{ path, message }]
  }
  try {
    await compile(schema)
    return []
  } catch (error) {
    return [{ path, message: reasonOf(error) }]
  }
}

/** Whether validation terminates soon: no schema reaches itself at the same value, and references do not multiply. */
export const isFoldedTightly = (schema: JsonSchema): boolean => new Looks(schema, 'all').within(looksMax)

/** Whether the visits multiply from level to level of a value, whichever branches apply. */
export const fansOut = (schema: JsonSchema): boolean => new Looks(schema, 'one').byLevel(looksMax).at(-1)! > looksMax

/** One issue per place: a wrong `type` fails several branches of the metaschema. */
function firstOfEach(errors: readonly ErrorObject[], path: string): Issue[] {
  const byPlace = new Map<string, Issue>()
  for (const { instancePath, message = 'is not valid', params } of errors) {
    if (byPlace.has(instancePath)) continue
    const choices: unknown = params.allowedValues
    const text = Array.isArray(choices) ? `Must be one of: ${choices.join(', ')}.` : sentence(message)
    byPlace.set(instancePath, { path: path + instancePath, message: text })
  }
  return [...byPlace.values()]
}

/** The reason that a schema does not compile, worded for its author. */
export function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'Does not compile: it is too deep.'
  const message = error instanceof Error ? error.message : ''
  return `Does not compile: ${message.replace(/\p{Cc}/gu, ' ').slice(0, 300)}.`
}

/** Compilers for the metaschemas only. */
async function loadMetaschemas() {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')])
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const
  const metaschemaOf = (compiler: Ajv, id: string) => compiler.getSchema(id) as ValidateFunction
  return {
    latest: metaschemaOf(new Ajv2020(options), 'https://json-schema.org/draft/2020-12/schema'),
    older: metaschemaOf(new Ajv(options), 'http://json-schema.org/draft-07/schema'),
  }
}
