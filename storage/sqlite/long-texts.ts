/**
 * Stores long texts in pieces, each in its own transaction so that other work runs in between, then commits their unit
 * of work with a reference in place of each text. A unit is still stored completely or not at all: until it commits,
 * its texts are unreferenced, and unreferenced texts are removed. Readers get the texts themselves.
 */
import { StoreUnavailable } from '../errors.ts'
import type { Query, Store, Write } from '../store.ts'
import {
  bindText,
  deleteLoosePieces,
  firstLoosePiece,
  forgetLooseText,
  insertLooseText,
  insertPiece,
  listLooseTexts,
  listPieces,
} from '../texts.ts'

/** In UTF-16 code units, each of which takes at most three bytes. */
const longFrom = 256 * 1024
const pieceLength = 512 * 1024
/** The number of pieces deleted per unit of work. */
const piecesAtOnce = 2

/**
 * The prefix of a reference; the ids of its owner and of the text follow. No text in an owner's rows starts with it:
 * they are JSON.
 */
export const marker = '\u0001'
const tables = /\b(?:run_inputs|run_events|agent_steps|checkpoints|call_results|deployment_bundles)\b/

type Row = Record<string, unknown>

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > longFrom

/** Whether a text of the unit must be stored in pieces. */
export function hasLongText(unit: readonly Write[]): boolean {
  for (const { textsOf, parameters } of unit) if (textsOf !== undefined && parameters.some(isLong)) return true
  return false
}

/** The end of the piece that begins at `start`: never within a surrogate pair. */
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
  /** Keeps the ids of texts distinct across restarts. */
  readonly #process = crypto.randomUUID()

  constructor(
    private readonly store: Pick<Store, 'db' | 'all' | 'commit' | 'background'>,
    private readonly commit: (unit: readonly Write[]) => Promise<void>,
    private readonly readNow: (query: Query<{ body: string }>) => { body: string }[],
  ) {}

  /**
   * Commits a unit with long texts. Throws as `Store.commit` does; its texts are then removed, at the latest by the
   * next sweep.
   */
  async commitLong(unit: readonly Write[]): Promise<void> {
    const keys: { ownerId: string; textId: string }[] = []
    const found: { key: { ownerId: string; textId: string }; text: string }[] = []
    const referring = unit.map((write): Write => {
      const { textsOf: ownerId } = write
      if (ownerId === undefined || !write.parameters.some(isLong)) return write
      const parameters = write.parameters.map((value) => {
        if (!isLong(value)) return value
        const key = { ownerId, textId: `${this.#process}-${this.#nextId++}` }
        keys.push(key)
        found.push({ key, text: value })
        return `${marker}${ownerId} ${key.textId}`
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
      // not while the store is unavailable: the next sweep removes them
      if (!(error instanceof StoreUnavailable)) {
        for (const key of keys) await this.#free(key, this.store).catch(() => {})
      }
      throw error
    }
    for (const { textId } of keys) this.#underWay.delete(textId)
  }

  async #write(key: { ownerId: string; textId: string }, text: string) {
    for (let start = 0, number = 0; start < text.length; number += 1) {
      const end = endOfPiece(text, start)
      const piece = insertPiece(this.store, { ...key, number, body: text.slice(start, end) })
      await this.commit([{ ...piece, textsOf: key.ownerId }])
      start = end
    }
  }

  /** Replaces references with their texts. Throws `StoreUnavailable` if a text is missing. */
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
    const [ownerId = '', textId = ''] = reference.slice(marker.length).split(' ')
    const pieces = this.readNow(listPieces(this.store, { ownerId, textId }))
    if (pieces.length === 0) throw new StoreUnavailable(`The store is damaged: a text of ${ownerId} is not there.`)
    return pieces.map(({ body }) => body).join('')
  }

  /** Removes unreferenced texts in small steps. Returns the number of texts removed. */
  async sweep(): Promise<number> {
    const { background } = this.store
    let removed = 0
    for (const { owner_id: ownerId, text_id: textId } of await background.all(listLooseTexts(this.store, {}))) {
      if (this.#underWay.has(textId)) continue
      if (await this.#free({ ownerId, textId }, background)) removed += 1
    }
    return removed
  }

  /** Whether it had pieces, and was still unreferenced. */
  async #free(key: { ownerId: string; textId: string }, on: Pick<Store, 'all' | 'commit'>): Promise<boolean> {
    let isFound = false
    for (; (await on.all(firstLoosePiece(this.store, key))).length > 0; isFound = true) {
      await on.commit([deleteLoosePieces(this.store, { ...key, limit: piecesAtOnce })])
    }
    await on.commit([forgetLooseText(this.store, key)])
    return isFound
  }
}
