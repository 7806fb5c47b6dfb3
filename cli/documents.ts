/**
 * Reads files of people as JSON or YAML, within bounds: a small text must not become a large value. Writes YAML
 * that reads as the same value.
 */
import { readFileSync, statSync } from 'node:fs'
import { reasonOf } from '../sdk/src/client/errors.ts'
import { CommandError, usageError } from './terminal/exit-codes.ts'
import { textOf } from './terminal/utf8.ts'

const bytesMax = 15 * 1_048_576
/** The most uses of `*alias`, including those within aliased values. */
const aliasesMax = 100
const depthMax = 64

/** Throws for a value that is nested deeper, and for a number that JSON does not have. */
function assertSendable(value: unknown, from: string, depth = 0): void {
  if (depth > depthMax) throw usageError(`${from} is nested more than ${depthMax} levels deep.`)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw usageError(`${from} has a number that JSON does not have: ${value}. Numbers must be finite.`)
  }
  if (typeof value !== 'object' || value === null) return
  for (const inside of Object.values(value)) assertSendable(inside, from, depth + 1)
}

/** Throws `usage` for an object of valid JSON with a key that it already has: `JSON.parse` keeps the last value only. */
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
    if (open.at(-1)?.has(key)) {
      const line = text.slice(0, index).split('\n').length
      throw usageError(
        `${from} has the key ${JSON.stringify(key)} twice in one object, again in line ${line}: remove one.`,
      )
    }
    open.at(-1)?.add(key)
  }
}

/** Parses the text as YAML. Throws `usage`. */
async function yamlIn(text: string, from: string): Promise<unknown> {
  const { parseDocument } = await import('yaml')
  try {
    // keys of JSON are texts: 007 and null stay as they are written
    const document = parseDocument(text, { stringKeys: true, prettyErrors: true, resolveKnownTags: false })
    // of warnings there are those of tags: a value with a tag would become another value
    const [error] = [...document.errors, ...document.warnings]
    if (error?.code === 'MULTIPLE_DOCS') throw usageError(`${from} has several YAML documents: it can have only one.`)
    if (error)
      throw new Error(error.message.replace('With stringKeys, all keys must be strings', 'A key must be a text'))
    return document.toJS({ maxAliasCount: aliasesMax })
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw usageError(`${from} is neither valid JSON nor valid YAML: ${(error as Error).message}`)
  }
}

/** Texts that the library reads as other ones unless they are quoted: only white space, or a byte order mark. */
const quoted = /^\s+$|\ufeff/

/** The value as YAML. */
export async function yamlOf(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml')
  // an object that occurs twice is written twice: an alias is hard to read, and to change
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && quoted.test(scalar.value)) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  // in quotes, the library breaks lines in ways that it does not read back
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER })
}

/** Parses the text of a document to an object; `from` names it in messages. Throws `usage`. */
export async function documentIn(text: string, from: string): Promise<Record<string, unknown>> {
  let value: unknown
  if (Buffer.byteLength(text) > bytesMax) throw usageError(`${from} is larger than ${bytesMax / 1_048_576} MiB.`)
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usageError(`${from} is not an object.`)
  assertSendable(value, from)
  return value as Record<string, unknown>
}

/** The same for a file. */
export async function readDocument(path: string): Promise<Record<string, unknown>> {
  try {
    if (statSync(path).size > bytesMax) throw usageError(`${path} is larger than ${bytesMax / 1_048_576} MiB.`)
    return await documentIn(textOf(readFileSync(path), path), path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (error instanceof CommandError || code === undefined) throw error
    throw usageError(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${code}.`)
  }
}

/** The same for an address. */
export async function fetchDocument(address: string, signal: AbortSignal): Promise<Record<string, unknown>> {
  const answer = await fetch(address, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason
    throw usageError(`${address} cannot be read: ${reasonOf(error)}`)
  })
  if (!answer.ok) throw usageError(`${address} answered ${answer.status}.`)
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body ?? []) {
    size += piece.byteLength
    if (size > bytesMax) throw usageError(`${address} is larger than ${bytesMax / 1_048_576} MiB.`)
    pieces.push(piece)
  }
  return documentIn(textOf(Buffer.concat(pieces), address), address)
}
