/**
 * Converts an OpenAPI document to operations, for review and publication. Stores and fetches nothing. Source: contract
 * 11, "import".
 */
import type { Operation, OperationsSource } from '../../../authoring/definitions/source.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { Names } from '../names.ts'
import { assertPublishable, lengthOf, operationsMax, RoomOfDefinition, schemaFault, tooMany } from '../publishable.ts'
import { Left, Skip, type Skipped } from '../skip.ts'
import { type Loose, OpenApiDocument } from './document.ts'
import { type Imported, importedOf, operationsIn } from './operations.ts'
import { type Detail, details } from './schemas.ts'
import { Security, type SuggestedConnection } from './security.ts'

interface OpenApiRequest {
  openapi: Loose
  /** operationIds, or names from an earlier import; omitted: all. */
  operations?: string[] | undefined
  /** The bindingKey of the operations' Connection. */
  connection: string
  organizationId: string
}

interface OpenApiImport {
  source: OperationsSource
  skipped: Skipped[]
  suggestedConnection: SuggestedConnection
}

/** The bound of all schemas together; beyond it, all of them become less detailed. */
const charactersOfAllMax = 120_000
/** The most operations whose schemas are made and checked, since each takes its time. */
const triedMax = 500

const tooManyTried = `An import tries ${triedMax} operations at most, and those before it could not all be published: choose those you need.`

/** Throws `validation_failed` (422) for any other document. */
export async function importOpenApi(request: OpenApiRequest): Promise<OpenApiImport> {
  const document = new OpenApiDocument(request.openapi)
  const security = new Security(document)
  const left = new Left()
  const candidates = await collected(document, request, security, left)
  const { operations, refused } = await withSchemas(candidates, request.organizationId)
  for (const { name, reason } of refused) left.add(name, reason)
  return { source: { operations }, skipped: left.list(), suggestedConnection: security.connection() }
}

type Candidate = Imported & { id: string }

interface Made {
  operations: Operation[]
  /** The characters of their schemas. */
  characters: number
  refused: Skipped[]
}

async function collected(
  document: OpenApiDocument,
  { operations: wanted, connection }: OpenApiRequest,
  security: Security,
  left: Left,
): Promise<Candidate[]> {
  const missing = new Set(wanted)
  const names = new Names()
  const candidates: Candidate[] = []
  let seen = 0
  // if operations are requested by name, only those are reported
  const leave = (path: string, reason: string) => (wanted ? undefined : left.add(path, reason))
  for (const found of operationsIn(document, leave)) {
    // a document may have tens of thousands of operations, and other requests wait
    if (++seen % 50 === 0) await nextTurn()
    const name = names.of(found.id)
    if (wanted && !missing.has(found.id) && !missing.has(name)) continue
    missing.delete(found.id)
    missing.delete(name)
    await left.unless(found.id, () => {
      candidates.push({ id: found.id, ...importedOf(document, found, { name, connection, security }) })
    })
  }
  for (const id of missing) left.add(id, 'There is no such operation in the document.')
  return candidates
}

/** The first operations that can be published, with the most detailed schemas that fit together. */
async function withSchemas(candidates: readonly Candidate[], organizationId: string): Promise<Made> {
  // those that take the places of others may be larger
  for (let at = details.indexOf(await detailFor(candidates.slice(0, operationsMax))); ; at += 1) {
    const made = await madeWith(details[at] as Detail, candidates, organizationId)
    if (made.characters <= charactersOfAllMax || at === details.length - 1) return made
  }
}

async function madeWith(detail: Detail, candidates: readonly Candidate[], organizationId: string): Promise<Made> {
  const room = new RoomOfDefinition()
  const made: Made = { operations: [], characters: 0, refused: [] }
  for (const [tried, candidate] of candidates.entries()) {
    try {
      if (made.operations.length >= operationsMax) throw new Skip(tooMany)
      if (tried >= triedMax) throw new Skip(tooManyTried)
      await nextTurn()
      const operation = await publishable(candidate, detail, organizationId)
      room.take(operation)
      made.operations.push(operation)
      made.characters += lengthOf(operation.inputSchema)
    } catch (error) {
      if (!(error instanceof Skip)) throw error
      made.refused.push({ name: candidate.id, reason: error.message })
    }
  }
  return made
}

/** Throws `Skip`. */
async function publishable({ operation, schemaOf }: Candidate, detail: Detail, organizationId: string) {
  const whole: Operation = { ...operation, inputSchema: await usable(schemaOf, detail, organizationId) }
  await assertPublishable(whole, organizationId)
  return whole
}

async function detailFor(candidates: readonly Candidate[]): Promise<Detail> {
  for (const detail of details) {
    let characters = 0
    for (const { schemaOf } of candidates) {
      await nextTurn()
      characters += sizeOf(schemaOf, detail)
      if (characters > charactersOfAllMax) break
    }
    if (characters <= charactersOfAllMax) return detail
  }
  return 'outline'
}

function sizeOf(schemaOf: Imported['schemaOf'], detail: Detail): number {
  try {
    return lengthOf(schemaOf(detail))
  } catch (error) {
    if (error instanceof Skip) return 0
    throw error
  }
}

/** The schema with this detail, or with less if that would be refused. Throws `Skip` with the last reason. */
async function usable(schemaOf: Imported['schemaOf'], from: Detail, organizationId: string) {
  let reason = ''
  for (const detail of details.slice(details.indexOf(from))) {
    try {
      const schema = schemaOf(detail)
      const fault = await schemaFault(schema, organizationId)
      if (fault === undefined) return schema
      reason = `Its input cannot be checked: ${fault}`
    } catch (error) {
      if (!(error instanceof Skip)) throw error
      reason = error.message
    }
  }
  throw new Skip(reason)
}
