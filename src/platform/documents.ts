/** Reads documents of people as JSON or YAML, within bounds: a small text must not become a large value. */
import type { Document } from 'yaml'
import { isObject } from './json.ts'

const bytesMax = 15 * 1_048_576
/** The most uses of `*alias`, including those within aliased values. */
const aliasesMax = 100
const depthMax = 64

/** What is wrong with a document, as a sentence that names it. */
export class DocumentFault extends Error {}

/** Throws a `DocumentFault` if a document of this size is too large; `from` names it. */
export function assertDocumentSize(bytes: number, from: string): void {
  if (bytes > bytesMax) throw new DocumentFault(`${from} is larger than ${bytesMax / 1_048_576} MiB.`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of these bytes; `from` names them. Throws a `DocumentFault` for another encoding. */
export function textOf(bytes: Uint8Array, from: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DocumentFault(`${from} is not encoded in UTF-8: save it in that encoding.`)
  }
}

/** Throws for a value that is nested deeper, and for a number that JSON does not have. */
function assertSendable(value: unknown, from: string, depth = 0): void {
  if (depth > depthMax) throw new DocumentFault(`${from} is nested more than ${depthMax} levels deep.`)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new DocumentFault(`${from} has a number that JSON does not have: ${value}. Numbers must be finite.`)
  }
  if (typeof value !== 'object' || value === null) return
  for (const inside of Object.values(value)) assertSendable(inside, from, depth + 1)
}

/** Throws for an object of valid JSON with a key that it already has: `JSON.parse` keeps the last value only. */
function assertUniqueKeys(text: string, from: string): void {
  /** The keys of each object that is open; of a list, none. */
  const open: Set<string>[] = []
  for (const { 0: token, 1: string, index } of text.matchAll(
    /("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g,
  )) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    if (string === undefined) continue
    const key: string = JSON.parse(string)
    if (open.at(-1)?.has(key)) throw repeated(key, text.slice(0, index), from)
    open.at(-1)?.add(key)
  }
}

/** The fault of a key that its object already has; `before` is the text up to it. */
function repeated(key: string, before: string, from: string): DocumentFault {
  const line = before.split('\n').length
  return new DocumentFault(
    `${from} has the key ${JSON.stringify(key)} twice in one object, again in line ${line}: remove one.`,
  )
}

/**
 * The same for a document of YAML. The library's own check compares each key with all others of its object: a few ten
 * thousand keys would take minutes.
 */
async function assertUniqueKeysOf(document: Document, text: string, from: string): Promise<void> {
  const { isScalar, visit } = await import('yaml')
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<string>()
      for (const { key } of items) {
        if (!isScalar<string>(key)) continue
        if (keys.has(key.value)) throw repeated(key.value, text.slice(0, key.range?.[0]), from)
        keys.add(key.value)
      }
    },
  })
}

/** Parses the text as YAML; the parser loads on first use. */
async function yamlIn(text: string, from: string): Promise<unknown> {
  const { parseDocument } = await import('yaml')
  try {
    // keys of JSON are texts: 007 and null stay as they are written
    const document = parseDocument(text, {
      stringKeys: true,
      prettyErrors: true,
      resolveKnownTags: false,
      uniqueKeys: false,
    })
    // of warnings there are those of tags: a value with a tag would become another value
    const [error] = [...document.errors, ...document.warnings]
    if (error?.code === 'MULTIPLE_DOCS')
      throw new DocumentFault(`${from} has several YAML documents: it can have only one.`)
    if (error)
      throw new Error(error.message.replace('With stringKeys, all keys must be strings', 'A key must be a text'))
    await assertUniqueKeysOf(document, text, from)
    return document.toJS({ maxAliasCount: aliasesMax })
  } catch (error) {
    if (error instanceof DocumentFault) throw error
    throw new DocumentFault(`${from} is neither valid JSON nor valid YAML: ${(error as Error).message}`)
  }
}

/** Parses a document to an object; `from` names it in messages. Throws a `DocumentFault`. */
export async function documentIn(document: string | Uint8Array, from: string): Promise<Record<string, unknown>> {
  const bytes = typeof document === 'string' ? new TextEncoder().encode(document) : document
  assertDocumentSize(bytes.byteLength, from)
  const text = textOf(bytes, from)
  let value: unknown
  if (/^\s*\{/.test(text)) {
    try {
      value = JSON.parse(text)
    } catch {
      value = undefined
    }
    if (value !== undefined) assertUniqueKeys(text, from)
  }
  // text that is not JSON may be YAML, whose parser reports the place of an error
  if (value === undefined) value = await yamlIn(text, from)
  if (!isObject(value)) throw new DocumentFault(`${from} is not an object.`)
  assertSendable(value, from)
  return value
}
