/**
 * Whether a JSON Schema of an author can be used, and where not. The runner compiles what is accepted here without
 * looking at it again. Source: contract 3, "JSON Schemas that do not compile: 422".
 */
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import type { Issue } from '../http/errors.ts'
import { checkOf } from '../runner/schemas.ts'
import { foldedTightly, structureIssues } from './json-schema-structure.ts'

export type JsonSchema = Record<string, unknown>

/** The time to compile a schema grows faster than the schema. */
export const schemaCharactersMax = 32_768

const latestDrafts = /^https?:\/\/json-schema\.org\/draft\/(?:2020-12|2019-09)\/schema#?$/
const olderDrafts = /^https?:\/\/json-schema\.org\/draft-0[467]\/schema#?$/

let metaschemas: Promise<{ latest: ValidateFunction; older: ValidateFunction }> | undefined

/** What is wrong with the schema, below `path`; nothing when every runner can use it. */
export async function jsonSchemaIssues(schema: JsonSchema, path: string): Promise<Issue[]> {
  if (JSON.stringify(schema).length > schemaCharactersMax) {
    return [{ path, message: `May have at most ${schemaCharactersMax.toLocaleString('en')} characters as JSON.` }]
  }
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema
  const isOlder = typeof $schema === 'string' && olderDrafts.test($schema)
  if (!isOlder && !(typeof $schema === 'string' && latestDrafts.test($schema))) {
    return [{ path: `${path}/$schema`, message: 'Must be JSON Schema draft 2020-12, 2019-09 or draft-07.' }]
  }
  metaschemas ??= loadMetaschemas()
  const metaschema = (await metaschemas)[isOlder ? 'older' : 'latest']
  const errors = metaschema(schema) ? [] : (metaschema.errors ?? [])
  const issues = [...firstOfEach(errors, path), ...structureIssues(schema, path)]
  if (issues.length > 0) return issues
  if (!foldedTightly(schema)) {
    return [{ path, message: 'Refers to itself without end, or makes too much out of its references.' }]
  }
  try {
    await checkOf(schema)
    return []
  } catch (error) {
    return [{ path, message: reasonOf(error) }]
  }
}

/** One issue for each place: a wrong `type` fails several branches of the metaschema. */
function firstOfEach(errors: readonly ErrorObject[], path: string): Issue[] {
  const byPlace = new Map<string, Issue>()
  for (const { instancePath, message = 'is not valid', params } of errors) {
    if (byPlace.has(instancePath)) continue
    const choices: unknown = params.allowedValues
    const text = Array.isArray(choices) ? `Must be one of: ${choices.join(', ')}.` : `${sentence(message)}.`
    byPlace.set(instancePath, { path: path + instancePath, message: text })
  }
  return [...byPlace.values()]
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'Does not compile: it is too deep.'
  const message = error instanceof Error ? error.message : ''
  return `Does not compile: ${message.replace(/\p{Cc}/gu, ' ').slice(0, 300)}.`
}

/** Compilers that only ever see the metaschemas. */
async function loadMetaschemas() {
  const [{ Ajv }, { Ajv2020 }] = await Promise.all([import('ajv'), import('ajv/dist/2020.js')])
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const
  const metaschemaOf = (compiler: Ajv, id: string) => compiler.getSchema(id) as ValidateFunction
  return {
    latest: metaschemaOf(new Ajv2020(options), 'https://json-schema.org/draft/2020-12/schema'),
    older: metaschemaOf(new Ajv(options), 'http://json-schema.org/draft-07/schema'),
  }
}
