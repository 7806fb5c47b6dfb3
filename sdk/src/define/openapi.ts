/**
 * OpenAPI documents before their import: lists the operations of a document, and extracts the part that some of them
 * need, because the documents of large services exceed the limit of a request.
 */

type Loose = Record<string, unknown>

/** An operation of a document, as an import names it. */
export interface DocumentedOperation {
  /** Its operationId, or method and path if it has none: `get/orders/{id}`. */
  id: string
  /** `GET` */
  method: string
  path: string
  /** Its summary; empty if it has none. */
  summary: string
}

const readAtTop = ['openapi', 'swagger', 'info', 'jsonSchemaDialect', 'servers', 'security']
const methods = ['get', 'put', 'post', 'delete', 'head', 'patch', 'options', 'trace']

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const idOf = (method: string, path: string, { operationId }: Loose): string =>
  typeof operationId === 'string' && operationId.trim() !== '' ? operationId : `${method}${path}`

/** The operations of an OpenAPI 3.0 or 3.1 document, in its order; empty for any other value. */
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
 * The document with only these operations, by id, and everything to which they refer, without the parts that an import
 * does not read (responses, for example).
 */
export function cutDocument(document: Loose, ids: readonly string[]): Loose {
  const wanted = new Set(ids)
  const { paths, components } = document
  if (!isObject(paths)) return document
  const read = Object.entries(document).filter(([name]) => readAtTop.includes(name))
  const cut: Loose = { ...Object.fromEntries(read), paths: Object.fromEntries(itemsOf(paths, wanted)) }
  // security schemes are named, not referenced
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

/** Parts of an operation that do not affect its requests; they are most of a document. */
const unread = ['responses', 'callbacks']

const withoutAnswers = (operation: Loose): Loose =>
  Object.fromEntries(Object.entries(operation).filter(([name]) => !unread.includes(name) && !name.startsWith('x-')))

/** The paths of the selected operations, and references to other paths. */
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

/** All references within the document that the value contains, without recursion, because documents may be deep. */
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

/** Copies the target of the pointer, a list as a whole; returns it, or undefined if there is none. */
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
