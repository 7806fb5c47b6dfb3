/**
 * Validates values against authors' JSON Schemas. Checks that are proven short (`proof.ts`) run in this thread, others in a
 * worker, with 100 ms and bounded memory per value. Source: contract 4, "Schemas of tenants".
 */
import { createHash } from 'node:crypto'
import type { Issue } from '../http/answers/errors.ts'
import { valueDepthMax } from '../json.ts'
import { type CheckResult, SchemaFailure } from './check-result.ts'
import type { Check } from './compiler.ts'
import type { Answer } from './protocol.ts'
import type { JsonSchema } from './structure.ts'
import type { SchemaWorker } from './worker.ts'
import { SchemaWorkers } from './workers.ts'

const checkMsMax = 100
/** Reading the sent values is not counted as checking time. */
const valuesPerMs = 2_000
const charactersPerMs = 50_000
/** Compiling or accepting a schema takes longer than checking a value. */
const compileMsMax = 2_000
const valuesMax = 500_000
const charactersMax = 4_194_304
const keptMax = 1_000

/** Cached facts about a schema. Contents are parsed again for each attempt, so equal schemas are different objects. */
interface Known {
  key: string
  /** Whether checking the value is proven to be short; null if no value's check is. */
  isShort: ((value: unknown) => boolean) | null
  check?: Promise<Check>
  /** The failure to compile it. */
  failure?: SchemaFailure
}

const byObject = new WeakMap<JsonSchema, Known>()
const byText = new Map<string, Known>()
/** The workers of this process. */
export const schemaWorkers = new SchemaWorkers()

/** Validates the value. Throws `SchemaFailure` if that is not possible. */
export async function checkValue(schema: JsonSchema, value: unknown, organizationId: string): Promise<CheckResult> {
  const known = byObject.get(schema) ?? (await knownOf(schema))
  if (known.failure) throw known.failure
  if (known.isShort?.(value)) return (await checkHere(known, schema))(value)
  return schemaWorkers.run(organizationId, (worker) => checkThere(worker, known, schema, value))
}

/** The issues that prevent publication of the schema, below `path`. */
export async function schemaIssues(schema: JsonSchema, path: string, organizationId: string): Promise<Issue[]> {
  const { profileOf } = await import('./proof.ts')
  if (profileOf(schema)) {
    const { issuesWith } = await import('./acceptance.ts')
    return issuesWith(schema, path)
  }
  try {
    return await schemaWorkers.run(organizationId, async (worker) => {
      const answer = await worker.ask({ type: 'tryCompile', schema, path }, compileMsMax)
      if (answer.type === 'issues') return answer.issues
      return [{ path, message: answer.type === 'failed' ? answer.reason : 'Does not compile: it is too deep.' }]
    })
  } catch (error) {
    if (!(error instanceof SchemaFailure) || error.code !== 'schema_too_costly') throw error
    return [{ path, message: 'Takes too long to compile: make it smaller or less nested.' }]
  }
}

async function knownOf(schema: JsonSchema): Promise<Known> {
  const text = JSON.stringify(schema)
  const key = createHash('sha256').update(text).digest('base64')
  const known = byText.get(key) ?? { key, isShort: await proofFor(schema) }
  if (byText.size >= keptMax) byText.clear()
  byText.set(key, known)
  byObject.set(schema, known)
  return known
}

async function proofFor(schema: JsonSchema): Promise<Known['isShort']> {
  const { isProven, profileOf } = await import('./proof.ts')
  const profile = profileOf(schema)
  return profile && ((value) => isProven(profile, value))
}

async function checkHere(known: Known, schema: JsonSchema): Promise<Check> {
  known.check ??= import('./compiler.ts').then(({ compile }) => compile(schema))
  try {
    return await known.check
  } catch (error) {
    const { reasonOf } = await import('./acceptance.ts')
    known.failure = notSupported(reasonOf(error))
    throw known.failure
  }
}

async function checkThere(
  worker: SchemaWorker,
  known: Known,
  schema: JsonSchema,
  value: unknown,
): Promise<CheckResult> {
  const { extentOf } = await import('./proof.ts')
  const extent = extentOf(value, valuesMax, valueDepthMax)
  if (!extent || extent.characters > charactersMax) {
    throw new SchemaFailure('schema_too_costly', 'The value is too large or too deeply nested to be validated.')
  }
  const { key } = known
  const reading = Math.ceil(extent.values / valuesPerMs + extent.characters / charactersPerMs)
  const check = () => worker.ask({ type: 'check', key, value }, checkMsMax + reading)
  let answer: Answer = await check()
  if (answer.type === 'unknown') {
    await compileThere(worker, known, schema)
    answer = await check()
  }
  if (answer.type === 'result') return answer.result
  throw new SchemaFailure(
    'schema_too_costly',
    'Validating the value takes too much memory: send a smaller one, or publish a simpler schema.',
  )
}

async function compileThere(worker: SchemaWorker, known: Known, schema: JsonSchema): Promise<void> {
  try {
    const answer = await worker.ask({ type: 'compile', key: known.key, schema }, compileMsMax)
    if (answer.type === 'compiled') return
    known.failure = notSupported(answer.type === 'failed' ? answer.reason : 'Does not compile: it is too deep.')
  } catch (error) {
    if (!(error instanceof SchemaFailure) || error.code !== 'schema_too_costly') throw error
    known.failure = new SchemaFailure('schema_too_costly', 'The schema takes too long to compile.')
  }
  throw known.failure
}

/** The schema was accepted when it was published. */
const notSupported = (reason: string) =>
  new SchemaFailure(
    'schema_not_supported',
    `The JSON Schema of the revision is no longer supported: publish a new one. ${reason}`,
  )
