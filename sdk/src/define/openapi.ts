/**
 * OpenAPI documents before they are imported: which operations one has, and the part of it that some of them need. What a
 * large service publishes is larger than a request may be.
 */

type Loose = Record<string, unknown>

/** An operation of a document, as an import names it. */
export interface DocumentedOperation {
  /** Its operationId, or method and path where it has none: `get/orders/{id}`. */
  id: string
  /** `GET` */
  method: string
  path: string
  /** Its summary; empty where it has none. */
  summary: string
}

const readAtTop = ['openapi', 'swagger', 'info', 'jsonSchemaDialect', 'servers', 'security']
const methods = ['get', 'put', 'post', 'delete', 'head', 'patch', 'options', 'trace']

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const idOf = (method: string, path: string, { operationId }: Loose): string =>
  typeof operationId === 'string' && operationId.trim() !== '' ? operationId : `${method}${path}`

/** The operations of a document of OpenAPI 3.0 or 3.1, in its order; none of what is not one. */
export function operationsOfDocument(document: unknown): DocumentedOperation[] {
  if (!isObject(document) || !isObject(document.paths)) return []
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = isObject(item) ? item[method] : undefined
      if (!isObject(operation)) return []
      const { summary } = operation
      return [
        {
          id: idOf(method, path, operation),
          method: method.toUpperCase(),
          path,
          summary: typeof summary === 'string' ? summary : '',
        },
      ]
    }),
  )
}

/**
 * The document with these operations alone, by their ids, and with what they refer to: as much of it as an import reads,
 * which is what is sent and not what is answered.
 */
export function cutDocument(document: Loose, ids: readonly string[]): Loose {
  const wanted = new Set(ids)
  const { paths, components } = document
  if (!isObject(paths)) return document
  const read = Object.entries(document).filter(([name]) => readAtTop.includes(name))
  const cut: Loose = { ...Object.fromEntries(read), paths: Object.fromEntries(itemsOf(paths, wanted)) }
  // securities are named, not referred to
  if (isObject(components) && isObject(components.securitySchemes)) {
    cut.components = { securitySchemes: components.securitySchemes }
  }
  const copied = new Set<string>()
  const referred = referencesIn(cut)
  for (let pointer = referred.pop(); pointer !== undefined; pointer = referred.pop()) {
    if (copied.has(pointer)) continue
    copied.add(pointer)
    referred.push(...referencesIn(copy(document, cut, pointer)))
  }
  return cut
}

/** Parts of an operation that say nothing about its requests; they are most of a document. */
const unread = ['responses', 'callbacks']

const withoutAnswers = (operation: Loose): Loose =>
  Object.fromEntries(Object.entries(operation).filter(([name]) => !unread.includes(name) && !name.startsWith('x-')))

/** Paths with the wanted operations, and those that lead elsewhere. */
function itemsOf(paths: Loose, wanted: ReadonlySet<string>): [string, unknown][] {
  return Object.entries(paths).flatMap(([path, item]): [string, unknown][] => {
    if (!isObject(item)) return []
    if (typeof item.$ref === 'string') return [[path, item]]
    const parts = Object.entries(item).flatMap(([name, value]): [string, unknown][] => {
      if (!methods.includes(name)) return [[name, value]]
      return isObject(value) && wanted.has(idOf(name, path, value)) ? [[name, withoutAnswers(value)]] : []
    })
    return parts.some(([name]) => methods.includes(name)) ? [[path, Object.fromEntries(parts)]] : []
  })
}

/** All references within the document that the value holds, without recursion: documents are deep. */
function referencesIn(value: unknown): string[] {
  const found: string[] = []
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    const { $ref } = next as Loose
    if (typeof $ref === 'string' && $ref.startsWith('#/')) found.push($ref)
    for (const part of Object.values(next)) open.push(part)
  }
  return found
}

const named = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return part
  }
}

/** Puts what the pointer leads to into the copy, a list as a whole; answers it, or undefined for what is not there. */
function copy(document: Loose, cut: Loose, pointer: string): unknown {
  const parts = pointer.slice(2).split('/').map(named)
  let source: unknown = document
  let target = cut
  for (const [place, part] of parts.entries()) {
    if (!isObject(source) || !Object.hasOwn(source, part)) return undefined
    source = source[part]
    if (place === parts.length - 1 || !isObject(source)) target[part] = source
    else if (!Object.hasOwn(target, part)) target[part] = {}
    if (!isObject(source)) return source
    target = target[part] as Loose
  }
  return source
}
