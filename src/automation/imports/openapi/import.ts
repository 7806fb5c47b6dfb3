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

/** Throws `validation_failed` (422) for any other document. */
export async function importOpenApi(request: OpenApiRequest): Promise<OpenApiImport> {
  const document = new OpenApiDocument(request.openapi)
  const security = new Security(document)
  const left = new Left()
  const chosen = await collected(document, request, security, left)
  const operations = await withSchemas(chosen, request.organizationId, left)
  return { source: { operations }, skipped: left.list(), suggestedConnection: security.connection() }
}

type Chosen = Imported & { id: string }

async function collected(
  document: OpenApiDocument,
  { operations: wanted, connection }: OpenApiRequest,
  security: Security,
  left: Left,
): Promise<Chosen[]> {
  const missing = new Set(wanted)
  const names = new Names()
  const chosen: Chosen[] = []
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
      const imported = importedOf(document, found, { name, connection, security })
      if (chosen.length >= operationsMax) throw new Skip(tooMany)
      chosen.push({ id: found.id, ...imported })
    })
  }
  for (const id of missing) left.add(id, 'There is no such operation in the document.')
  return chosen
}

/** Uses the most detailed schemas that fit together. */
async function withSchemas(chosen: readonly Chosen[], organizationId: string, left: Left): Promise<Operation[]> {
  const detail = await detailFor(chosen)
  const room = new RoomOfDefinition()
  const operations: Operation[] = []
  for (const { id, operation, schemaOf } of chosen) {
    await nextTurn()
    await left.unless(id, async () => {
      const whole: Operation = { ...operation, inputSchema: await usable(schemaOf, detail, organizationId) }
      await assertPublishable(whole, organizationId)
      room.take(whole)
      operations.push(whole)
    })
  }
  return operations
}

async function detailFor(chosen: readonly Chosen[]): Promise<Detail> {
  for (const detail of details) {
    let characters = 0
    for (const { schemaOf } of chosen) {
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
