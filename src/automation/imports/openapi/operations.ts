/**
 * The operations of a document, and their conversion. Source: contract 11, "import"; OpenAPI 3.1, "Operation Object".
 */
import type { Operation } from '../../../authoring/definitions/source.ts'
import { isObject } from '../../../platform/json.ts'
import type { JsonSchema } from '../../../platform/json-schemas/structure.ts'
import { Names } from '../names.ts'
import { Skip } from '../skip.ts'
import { placedBody } from './bodies.ts'
import type { Loose, OpenApiDocument } from './document.ts'
import { placed } from './parameters.ts'
import { type Detail, inputSchemaOf, type Property } from './schemas.ts'
import type { Security } from './security.ts'

/** An operation of the document. */
interface Found {
  /** Its operationId, or `get_orders_id` from method and path. */
  id: string
  method: string
  path: string
  item: Loose
  /** As it is written: it may be a reference. */
  listed: Loose
}

/** An operation whose input schema is made later, with as much detail as fits. */
export interface Imported {
  operation: Omit<Operation, 'inputSchema'>
  schemaOf(detail: Detail): JsonSchema
}

const methods = ['get', 'put', 'post', 'delete', 'head', 'patch', 'options', 'trace'] as const
const descriptionCharactersMax = 1_000
const texts = (...all: unknown[]) => all.filter((each) => typeof each === 'string' && each.trim() !== '') as string[]

/**
 * All operations in the order of the document, without extensions. `leave` is called for each path that is outside the
 * document or is none.
 */
export function* operationsIn(
  document: OpenApiDocument,
  leave: (path: string, reason: string) => void,
): Generator<Found> {
  for (const [path, listed] of Object.entries(document.root.paths as Loose)) {
    if (path.startsWith('x-')) continue
    if (!path.startsWith('/')) {
      leave(path, 'A path must begin with /.')
      continue
    }
    const item = itemOf(document, listed, (reason) => leave(path, reason))
    for (const method of methods) {
      const listed = item[method]
      if (!isObject(listed)) continue
      const [id = `${method}${path}`] = texts(listed.operationId)
      yield { id, method: method.toUpperCase(), path, item, listed }
    }
  }
}

/** A path that is a reference to elsewhere has no operations here. */
function itemOf(document: OpenApiDocument, listed: unknown, leave: (reason: string) => void): Loose {
  try {
    return document.resolved(listed)
  } catch (error) {
    if (!(error instanceof Skip)) throw error
    leave(error.message)
    return {}
  }
}

const requiresBody = (document: OpenApiDocument, { requestBody }: Loose): boolean =>
  requestBody !== undefined && document.resolved(requestBody).required === true

/** Converts the operation under this name. Throws `Skip` with the reason if that is impossible. */
export function importedOf(
  document: OpenApiDocument,
  { method, path, item, listed }: Found,
  { name, connection, security }: { name: string; connection: string; security: Security },
): Imported {
  const operation = document.resolved(listed)
  if (method === 'OPTIONS' || method === 'TRACE') throw new Skip(`An operation cannot send ${method}.`)
  if (operation.servers !== undefined || item.servers !== undefined) {
    throw new Skip('Has a server of its own: give it a Connection and a Definition of its own.')
  }
  const inputs = new Names()
  const {
    path: template,
    query,
    headers,
    styles,
    properties,
  } = placed(document, path, [item.parameters, operation.parameters], inputs)
  const takesBody = method !== 'GET' && method !== 'HEAD'
  if (!takesBody && requiresBody(document, operation)) {
    throw new Skip(`Needs a body, which an operation cannot send with ${method}.`)
  }
  const body = takesBody ? placedBody(document, operation.requestBody, inputs) : undefined
  const allHeaders = { ...headers, ...(body?.contentType ? { 'Content-Type': body.contentType } : {}) }
  const allStyles = { ...styles, ...body?.styles }
  const allQuery = { ...query, ...security.queryOf(operation) }
  const all: Property[] = [...properties, ...(body ? [body.property] : [])]
  return {
    operation: {
      name,
      description: described(operation, item, `${method} ${path}`),
      effect: takesBody ? 'write' : 'read',
      idempotent: method !== 'POST' && method !== 'PATCH',
      approval: 'never',
      handler: {
        type: 'http',
        connection,
        method,
        path: template,
        ...(Object.keys(allQuery).length > 0 ? { query: allQuery } : {}),
        ...(Object.keys(allStyles).length > 0 ? { styles: allStyles } : {}),
        ...(Object.keys(allHeaders).length > 0 ? { headers: allHeaders } : {}),
        ...(body ? { body: body.body } : {}),
      },
    },
    schemaOf: (detail) => inputSchemaOf(document, all, detail),
  }
}

function described(operation: Loose, item: Loose, otherwise: string): string {
  const own = texts(operation.summary, operation.description)
  const all = own.length > 0 ? own : texts(item.summary, item.description)
  const text = [...new Set(all.map((each) => each.trim()))].join('\n\n') || otherwise
  return text.slice(0, descriptionCharactersMax).toWellFormed()
}
