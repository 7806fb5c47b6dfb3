/**
 * Long texts go into the store in pieces, each in a transaction of its own and with others' turns in between; then the unit
 * of work that they belong to is committed, with a reference in the place of each. So a unit is still whole or not there
 * at all: until it is committed its texts are loose, and what is loose goes. Readers get the text itself.
 */
import { StoreUnavailable } from '../errors.ts'
import type { Query, Store, Write } from '../store.ts'
import {
  bindText,
  deletePieces,
  firstPiece,
  forgetLooseText,
  insertLooseText,
  insertPiece,
  listLooseTexts,
  listPieces,
} from '../texts.ts'

/** In characters, of which each is at most three bytes. */
const longFrom = 256 * 1024
const pieceLength = 512 * 1024
/** Freed in one unit. */
const piecesAtOnce = 2

/** No text of a run's rows begins so: they are JSON. Behind it the run and the text's id. */
const marker = '\u0001'
const tables = /\b(?:run_inputs|run_events|agent_steps|checkpoints|call_results)\b/

type Row = Record<string, unknown>

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longFrom

/** Whether a text of the unit is to be kept in pieces. */
export function hasLongText(unit: readonly Write[]): boolean {
  for (const { textsOf, parameters } of unit) if (textsOf !== undefined && parameters.some(isLong)) return true
  return false
}

/** Where a piece ends that begins at `start`: not between the halves of a character. */
function endOfPiece(text: string, start: number): number {
  const end = start + pieceLength
  if (end >= text.length) return text.length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

export class LongTexts {
  readonly #mayRefer = new Map<string, boolean>()
  readonly #underWay = new Set<string>()
  #nextId = 0
  /** Ids of two processes on one store, one after the other, are not the same. */
  readonly #process = crypto.randomUUID()

  constructor(
    private readonly store: Pick<Store, 'db' | 'all' | 'commit' | 'background'>,
    private readonly commit: (unit: readonly Write[]) => Promise<void>,
    private readonly readNow: (query: Query<{ body: string }>) => { body: string }[],
  ) {}

  /** Commits a unit with long texts. Throws as `Store.commit` does; nothing is left of it then. */
  async commitLong(unit: readonly Write[]): Promise<void> {
    const keys: { runId: string; textId: string }[] = []
    const found: { key: { runId: string; textId: string }; text: string }[] = []
    const referring = unit.map((write): Write => {
      const { textsOf: runId } = write
      if (runId === undefined || !write.parameters.some(isLong)) return write
      const parameters = write.parameters.map((value) => {
        if (!isLong(value)) return value
        const key = { runId, textId: `${this.#process}-${this.#nextId++}` }
        keys.push(key)
        found.push({ key, text: value })
        return `${marker}${runId} ${key.textId}`
      })
      return { ...write, parameters }
    })
    for (const { textId } of keys) this.#underWay.add(textId)
    try {
      await this.commit(keys.map((key) => insertLooseText(this.store, key)))
      for (const { key, text } of found) await this.#write(key, text)
      await this.commit([...keys.map((key) => bindText(this.store, key)), ...referring])
    } catch (error) {
      for (const { textId } of keys) this.#underWay.delete(textId)
      // a store that is away cannot; the next sweep does it
      if (!(error instanceof StoreUnavailable)) {
        for (const key of keys) await this.#free(key, this.store).catch(() => {})
      }
      throw error
    }
    for (const { textId } of keys) this.#underWay.delete(textId)
  }

  async #write(key: { runId: string; textId: string }, text: string) {
    for (let start = 0, number = 0; start < text.length; number += 1) {
      const end = endOfPiece(text, start)
      const piece = insertPiece(this.store, { ...key, number, body: text.slice(start, end) })
      await this.commit([{ ...piece, textsOf: key.runId }])
      start = end
    }
  }

  /** Puts the texts in the places of their references. Throws `StoreUnavailable` when one is not there. */
  resolve<Found>(sql: string, rows: Found[]): Found[] {
    if (!this.#refers(sql)) return rows
    for (const row of rows as Row[]) {
      for (const column in row) {
        const value = row[column]
        if (typeof value === 'string' && value.startsWith(marker)) row[column] = this.#read(value)
      }
    }
    return rows
  }

  #refers(sql: string): boolean {
    const known = this.#mayRefer.get(sql)
    if (known !== undefined) return known
    if (this.#mayRefer.size > 1_000) this.#mayRefer.clear()
    const refers = tables.test(sql)
    this.#mayRefer.set(sql, refers)
    return refers
  }

  #read(reference: string): string {
    const [runId = '', textId = ''] = reference.slice(marker.length).split(' ')
    const pieces = this.readNow(listPieces(this.store, { runId, textId }))
    if (pieces.length === 0) throw new StoreUnavailable(`The store is damaged: a text of ${runId} is not there.`)
    return pieces.map(({ body }) => body).join('')
  }

  /** Removes the texts that nothing names, in small steps. Answers how many. */
  async sweep(): Promise<number> {
    const { background } = this.store
    let removed = 0
    for (const { run_id: runId, text_id: textId } of await background.all(listLooseTexts(this.store, {}))) {
      if (this.#underWay.has(textId)) continue
      await this.#free({ runId, textId }, background)
      removed += 1
    }
    return removed
  }

  async #free(key: { runId: string; textId: string }, on: Pick<Store, 'all' | 'commit'>): Promise<void> {
    while ((await on.all(firstPiece(this.store, key))).length > 0) {
      await on.commit([deletePieces(this.store, { ...key, limit: piecesAtOnce })])
    }
    await on.commit([forgetLooseText(this.store, key)])
  }
}
